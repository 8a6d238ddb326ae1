import { globSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A clock for the processes that are started with its environment. */
export type FakeClock = {
  environment: Record<string, string>
  /** Sets it this many seconds ahead of the machine's, at once. */
  set(aheadS: number): void
}

/** libfaketime for programs with threads, as Debian and its derivatives install it. */
const LIBRARIES = [
  '/usr/lib/*/faketime/libfaketimeMT.so.1',
  '/usr/lib*/faketime/libfaketimeMT.so.1',
]

/** Undefined if the machine has no libfaketime. */
export function fakeClock(folder: string, name: string): FakeClock | undefined {
  const [library] = globSync(LIBRARIES)
  if (library === undefined) return undefined
  const file = join(folder, `${name}.clock`)

  function set(aheadS: number): void {
    // Each reading of the clock reads the file, so it must never be half written.
    writeFileSync(`${file}.new`, `${aheadS < 0 ? '' : '+'}${aheadS}\n`)
    renameSync(`${file}.new`, file)
  }

  set(0)
  return {
    environment: {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      // A step of the wall clock does not move the monotonic clock.
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      DONT_FAKE_MONOTONIC: '1',
    },
    set,
  }
}
