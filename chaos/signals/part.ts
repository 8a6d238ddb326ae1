import type { Part } from '../part.ts'
import { drainOften } from './draining.ts'
import { replaceOften } from './rolling.ts'
import { signalTwice } from './second-signal.ts'

export const part: Part = {
  name: 'signals',
  title: 'Signals',
  summary: 'SIGTERM drains a server, and SIGHUP replaces processes, while clients keep asking.',
  about: `A server over a data folder is sent SIGTERM at any moment while 26 clients ask: over connections that
are kept, by a new one each time, now and then, six requests at once, with headers or bodies that come in
pieces, long histories that are read late or compressed, batches to the feed. A client knows what it
has sent and reads by the letter of HTTP what comes. What was sent on a connection that was made before
the signal has to be answered whole, also where it was sent after the signal. HTTP/1.1 leaves two moments
open, which are counted: a request that is sent just as a connection which was quiet for a second is
closed (or behind a long answer that began before the signal and so could not say that it is the last), and a
connection that is made just as the port is closed. Clients send such requests again, as they do with any
connection that was idle.

Over PostgreSQL and Redis two processes behind one port are replaced over and over (SIGHUP, see
[operating](operating/backups.md#restarts)) while the same clients ask. There nothing is left open: every request,
over connections old and new, is answered whole, and the processes together have counted as many.`,
  async run(trial) {
    return [...(await drainOften(trial)), await signalTwice(trial), ...(await replaceOften(trial))]
  },
}
