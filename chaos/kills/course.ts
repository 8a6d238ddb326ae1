import type { Random } from '../../packages/server/src/demo/random.ts'

/** Something that goes on and is killed over and over; each has a folder of its own. */
export type Course = {
  /** Kills once, at a moment that chance gives, and checks. Rejects with what is wrong. */
  kill(): Promise<void>
  /** The last checks. Resolves with what was told in all, as sums. */
  finish(): Promise<Record<string, number>>
  /** Ends whatever it has started. */
  close(): Promise<void>
}

export type CourseOptions = { folder: string; random: Random; tally: Tally }

/** What all courses count together. */
export type Tally = {
  kills: number
  /** Of those, how many came while the log was written into the database. */
  inCheckpoint: number
  /** Of those, how many came while a server was starting. */
  inStart: number
  /** From the start of a process to its first answer, in milliseconds. */
  startsMs: number[]
  /** From a kill of PostgreSQL to the next packets that are stored, in milliseconds. */
  recoveriesMs: number[]
  integrityChecks: number
}

export function newTally(): Tally {
  return {
    kills: 0,
    inCheckpoint: 0,
    inStart: 0,
    startsMs: [],
    recoveriesMs: [],
    integrityChecks: 0,
  }
}
