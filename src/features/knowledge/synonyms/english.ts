/** English words of everyday business that mean nearly the same, one group a line. A phrase only stands in questions. */
export const ENGLISH = `
price, cost, fee, rate, charge, tariff, expensive, how much, what do you charge
pay, payment, charge, settle, debit, card, cash
free, complimentary, waive, no charge, at no cost
cheap, discount, offer, promo, promotion, deal, code, save, voucher, coupon
instalment, split, spread, credit, finance
invoice, bill, receipt, statement
late, overdue, missed, arrears
penalty, fine, fee, charge
refund, reimburse, money back, cash back, give back, compensation
compensation, claim, damages, sue, tribunal, injury
cancel, quit, end, terminate, leave, stop, give up, notice
pause, freeze, suspend, hold, skip
skip, miss, away
change, amend, move, switch, swap, alter
reschedule, postpone, another day, cannot make it, cant make it, rearrange
holiday, vacation, away, travel, trip, abroad
book, reserve, appointment, slot, booking, reservation
open, opening, hours, close, closed, times, staffed, what time, when are you
morning, early, breakfast
night, evening, late, midnight, overnight
weekend, Saturday, Sunday
emergency, urgent, out-of-hours, immediately, ring, help
pain, hurt, ache, suffer, sore, injury
injured, injury, physio, fracture
afraid, nervous, anxious, terrified, scared, fear, confidence
child, kid, baby, toddler, son, daughter, infant, children, family
mother, mum, mom, father, dad, parent, relative
old, elderly, senior, grandma, grandpa, grandmother, older, over-sixties
friend, guest, visitor, buddy, mate
woman, female, women, lady
couple, wife, husband, spouse, partner
wedding, marry, marriage, ceremony, married
divorce, separate, split up
party, birthday, celebrate, event
gift, present, voucher, certificate, birthday
dog, puppy, pup, pet, animal, hound
cat, kitten, kitty, pet, animal
house, home, flat, apartment, property, place
address, location, where are you, postcode, find you
area, cover, available, postcode, village
move, relocate, moving, new address, new home
room, bedroom, suite, accommodation
rent, tenant, landlord, lease, tenancy, let
evict, eviction, throw out, notice
deposit, bond
buy, purchase, order, shop
sell, resell, trade
delivery, deliver, ship, shipping, arrive, post, dispatch, courier, get here
track, tracking, where is, courier, status
parcel, package, box, order, stuff
collect, fetch, pick up, pick-up, come to
return, send back, exchange, bring back
fit, size, large, small, medium
broken, damage, fault, smashed, cracked, defective, broke
repair, fix, mend, replace
warranty, guarantee, covered
wash, clean, laundry, launder
stain, spot, mark, dirt, spill
clean, hoover, vacuum, mop, scrub, tidy, spotless, cleaner
waterproof, rain, wet
jacket, coat, clothing, garment, clothes
car, vehicle, drive, automobile
drive, driving, driver, motor
lesson, class, session, course, hour
learn, learner, beginner, teach
teacher, instructor, coach, tutor, trainer
test, exam, examination, pass
theory, question
years, refresher, again, long time, returning
accident, crash, collision, injury
licence, license, permit, photocard
motorway, highway, road
park, parking, garage
airport, flight, plane, terminal, shuttle
taxi, bus, minibus, transfer, shuttle
passport, certificate, documents, paperwork, visa, papers
abroad, overseas, foreign, international, Europe, EU
internet, broadband, wifi, wireless, online, connection, line
slow, speed, buffering, lag, sluggish
outage, down, dead, not working, no internet, loss, fault, service
router, modem, box, device
phone, telephone, call, mobile, ring, number
install, engineer, connect, set up, technician, fit
cut off, disconnect, restrict, block
password, login, account
employer, boss, job, work, company
dismissal, fired, sacked, dismiss, lose my job, redundancy
lawyer, solicitor, attorney, legal
will, testament, inheritance, estate, heir
die, died, death, passed away, probate, deceased
attorney, behalf, illness, decide, sign for
complaint, complain, unhappy, not happy, dissatisfied, feedback
immigrate, visa, settlement, immigration
contract, agreement, terms
document, letter, paper
doctor, vet, nurse, clinic, physician
vaccine, vaccination, jab, shot, booster, injection
neuter, spay, castrate, fixed, neutering, sterilise
fat, overweight, weight, diet, obese, thin
flea, tick, bug, itch, scratch, parasite
tooth, teeth, dental, dentist, breath
medicine, tablet, prescription, pill, drug, medication
put to sleep, sleep, cremation, euthanasia, goodbye, put down
board, boarding, look after, care, mind, kennel, cattery
look after, mind, watch, creche, babysit, childcare, nursery
trust, insured, checked, safe, reliable, vetted
insurance, insure, claim, cover
key, lock, in, let in
gym, train, workout, exercise, fitness, work out
member, membership, join, joining, sign up
locker, store, storage, luggage
shower, towel, changing, bath
swim, pool, sauna, spa, steam
massage, physio, treatment, physiotherapy, back
wheelchair, disabled, accessible, ground floor, lift, mobility
forget, lost, left, leave, behind, forgot, left behind
check in, arrival, arrive, ready, check-in
check out, departure, leave, checkout
breakfast, buffet, brekkie, meal
eat, food, meal, restaurant, dinner, lunch, dish
vegan, vegetarian, gluten, allergy, coeliac
meeting, conference, seminar, delegate
first time, first, trial, try, induction, start
student, university, pupil
business, company, corporate, firm, office
quick, fast, express, urgent, tomorrow, soon
how long, days, weeks, months, take, duration, when will
`;
