import type { Part } from '../part.ts'
import { backups } from './backup.ts'
import { creation } from './creation.ts'
import { deletion } from './deletion.ts'
import { importing } from './importing.ts'
import { recoveries } from './judged.ts'
import { packing, packingOnPostgres } from './packing.ts'
import { retention } from './retention.ts'
import { type Kind, runKinds } from './run-kinds.ts'

/** The longest first, so that they do not run alone at the end. */
const KINDS: Kind[] = [
  {
    what: 'import while a server reads',
    bar: 'the first rows of the file are stored; begun again, all, once',
    open: importing,
    share: 180,
  },
  {
    what: 'packing under late packets',
    bar: 'each acknowledged row once in the history and for a follower; rows and blocks do not overlap',
    open: packing,
    share: 60,
  },
  {
    what: 'packing under late packets, on PostgreSQL',
    bar: 'each acknowledged row once in the history and for a follower; rows and blocks do not overlap',
    open: packingOnPostgres,
    share: 60,
    needsServers: true,
  },
  {
    what: 'the making of a folder',
    bar: 'before or after, never between',
    open: creation,
    share: 40,
  },
  {
    what: 'retention',
    bar: 'nothing expired is shown, nothing kept is gone; it is finished',
    open: retention,
    share: 60,
  },
  {
    what: 'deletion of an organization',
    bar: 'all or nothing of it; nothing of another',
    open: deletion,
    share: 40,
  },
  {
    what: 'backup while a server is fed',
    bar: 'no backup, or a whole one',
    open: backups,
    share: 60,
  },
]

const IN_ALL = { minutes: 60, hours: 1_000 }

export const part: Part = {
  name: 'kills',
  title: 'Kills',
  summary:
    '`kill -9` ends imports, packing, backups, deletions and starting servers at any moment.',
  about: `
\`kill -9\` ends processes: imports, packing, backups, deletions and new folders at any moment from their first instruction to their last.
One in seven servers is killed again while it starts on what the first kill left. A write into the database file itself (a
checkpoint) draws a kill at once. Servers that are fed, PostgreSQL and Redis are killed
by the part \`followers\`.

After each kill a client reads the stored data over HTTP. Acknowledged data must be there, once and unchanged. Other data may be
there, whole, and sending everything again must bring exactly the rest. \`PRAGMA integrity_check\` must find nothing.

A kill of a process does not show what a power cut does. A test of its own, over a trace of the system calls, checks that
everything acknowledged was synced to the disk.`,
  async run(trial) {
    const { findings, tally } = await runKinds(trial, KINDS, trial.amount(IN_ALL))
    return [...findings, ...recoveries(tally)]
  },
}
