/** A connection to a server that may say only so much, for libraries that keep all that a server says. */
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

/**
 * Passes on what the server says, and ends the connection before it says more than `bytes`. What counts is what the connection carries: for one
 * that a library upgrades to TLS these are the bytes of TLS. The result is of use to what needs no more of a socket than its time limit.
 */
export function boundSocket(socket: Socket, bytes: number): Socket {
  let left = bytes;
  const bounded = new Duplex({
    read: () => void socket.resume(),
    write: (chunk: Buffer, encoding, done) => void socket.write(chunk, encoding, done),
    final: (done) => void socket.end(done),
    destroy: (error, done) => {
      socket.destroy();
      done(error);
    },
  });
  socket.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) bounded.destroy(new Error('the server says too much'));
    else if (!bounded.push(chunk)) socket.pause();
  });
  socket.once('end', () => bounded.push(null));
  socket.once('close', () => bounded.destroy());
  socket.on('error', (error) => bounded.destroy(error));
  // Failure policy: whoever waits for the connection gets the error as well.
  bounded.on('error', () => undefined);
  socket.on('timeout', () => bounded.emit('timeout'));
  const setTimeout = (ms: number): Duplex => (socket.setTimeout(ms), bounded);
  const { remoteAddress, remotePort, localAddress, localPort } = socket;
  return Object.assign(bounded, { setTimeout, remoteAddress, remotePort, localAddress, localPort }) as Socket;
}
