import type { Part } from '../part.ts'
import { backups } from './backup.ts'
import { creation } from './creation.ts'
import { deletion } from './deletion.ts'
import { importing } from './importing.ts'
import { recoveries } from './judged.ts'
import { retention } from './retention.ts'
import { type Kind, runKinds } from './run-kinds.ts'

/** The longest first, so that they do not run alone at the end. */
const KINDS: Kind[] = [
  {
    what: 'import beside a server',
    bar: 'the first rows of the file stand; begun again, all, once',
    open: importing,
    share: 180,
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
    what: 'backup beside a server that is fed',
    bar: 'no backup, or a whole one',
    open: backups,
    share: 60,
  },
]

const IN_ALL = { minutes: 60, hours: 1_000 }

export const part: Part = {
  name: 'kills',
  title: 'Kills',
  summary: '`kill -9` ends imports, backups, deletions and starting servers at any moment.',
  about: `Processes are ended by \`kill -9\`: imports, backups, deletions and new folders at any moment from their first instruction to their last; one in seven servers once more while it starts over what the
kill left. A write into the database file itself (a checkpoint) draws a kill at once. Servers that are fed,
PostgreSQL and Redis are killed [under followers](#kills-under-followers-of-changes).

After each kill a client reads the stored data over HTTP. Acknowledged data must be there, once and
unchanged; other data may be there, whole, and sending everything again must bring exactly the rest. \`PRAGMA integrity_check\` has to find nothing.

A kill of a process does not show what a power cut does: that all that is acknowledged was synced to the
disk is a test of its own, over a trace of the system calls.`,
  async run(trial) {
    const { findings, tally } = await runKinds(trial, KINDS, trial.amount(IN_ALL))
    return [...findings, ...recoveries(tally)]
  },
}
