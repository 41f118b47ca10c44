/**
 * The rules for what the loader adds to a site. They are in a shadow root, which the site's own rules do not reach, and come as a constructed
 * style sheet, which a site's content security policy does not forbid.
 */
export const STYLES = `
:host {
  all: initial !important;
  position: fixed !important;
  z-index: 2147483000 !important;
  inset: auto 0 0 auto !important;
  width: 0 !important;
  height: 0 !important;
  color-scheme: light dark !important;
}
.launcher, iframe { position: fixed; right: 20px; }
.left .launcher, .left iframe { right: auto; left: 20px; }
.launcher {
  bottom: 20px;
  display: grid;
  place-items: center;
  width: 56px;
  height: 56px;
  margin: 0;
  padding: 0;
  border: 0;
  border-radius: 50%;
  background: var(--parley-color);
  color: var(--parley-on-color);
  box-shadow: 0 4px 16px rgb(0 0 0 / 0.28);
  cursor: pointer;
  transition: transform 0.15s;
}
.launcher:hover { transform: scale(1.06); }
.launcher:focus-visible { outline: 3px solid var(--parley-color); outline-offset: 3px; box-shadow: 0 0 0 3px #fff; }
svg { grid-area: 1 / 1; width: 28px; height: 28px; fill: none; stroke: currentColor; stroke-width: 1.8; stroke-linecap: round; stroke-linejoin: round; transition: opacity 0.15s, transform 0.15s; }
.down, .open .talk { opacity: 0; transform: scale(0.5); }
.open .down { opacity: 1; transform: none; }
.badge {
  position: absolute;
  top: -4px;
  right: -4px;
  min-width: 22px;
  box-sizing: border-box;
  padding: 0 6px;
  border: 2px solid #fff;
  border-radius: 11px;
  background: #c01622;
  color: #fff;
  font: 600 12px/18px system-ui, sans-serif;
  text-align: center;
}
.badge:empty, .open .badge { display: none; }
iframe {
  bottom: 92px;
  width: 384px;
  height: min(660px, calc(100vh - 112px));
  height: min(660px, calc(100dvh - 112px));
  max-width: calc(100vw - 40px);
  border: 0;
  border-radius: 16px;
  background: light-dark(#fff, #17191d);
  box-shadow: 0 12px 48px rgb(0 0 0 / 0.3);
  visibility: hidden;
  opacity: 0;
  transform: translateY(12px);
  transition: opacity 0.16s, transform 0.16s, visibility 0s 0.16s;
}
.open iframe { visibility: visible; opacity: 1; transform: none; transition: opacity 0.16s, transform 0.16s; }
@media (max-width: 480px), (max-height: 420px) {
  .open iframe { inset: 0; width: 100%; height: 100%; max-width: none; border-radius: 0; }
  .open .launcher { visibility: hidden; }
}
@media (prefers-reduced-motion: reduce) { * { transition: none !important; } }
@media print { :host { display: none !important; } }
`;
