import type { Random } from '../../../packages/server/testing/random.ts'

/** Work that is killed repeatedly; each course has a folder of its own. */
export type Course = {
  /** Kills once, at a random moment, and checks. Rejects with the fault. */
  kill(): Promise<void>
  /** Runs the last checks. Resolves with the sums of all counts. */
  finish(): Promise<Record<string, number>>
  /** Ends everything that it has started. */
  close(): Promise<void>
}

export type CourseOptions = { folder: string; random: Random; tally: Tally }

/** The sums of all courses. */
export type Tally = {
  kills: number
  /** Kills during a checkpoint of the log into the database. */
  inCheckpoint: number
  /** Kills during a start of a server. */
  inStart: number
  /** From the start of a process to its first answer, in milliseconds. */
  startsMs: number[]
  /** From a kill of PostgreSQL to the next stored packets, in milliseconds. */
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
