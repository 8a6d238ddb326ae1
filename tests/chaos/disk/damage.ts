import { readFileSync, truncateSync, writeFileSync } from 'node:fs'
import type { Random } from '../../../packages/server/testing/random.ts'

/** SQLite's default, which Fleetgate uses. */
const PAGE = 4_096

/** A way in which a disk, or a writer, corrupts a file. */
export type Damage = {
  what: string
  /**
   * The first to notice: SQLite checks the structure of pages and the order of rows, but has no checksums of
   * their content.
   */
  seenBy: 'readers' | 'backups' | 'nobody'
  spoil(file: string, random: Random): void
}

export const DAMAGES: Damage[] = [
  {
    what: 'a page of random bytes',
    seenBy: 'readers',
    spoil: (file, random) =>
      changed(file, (bytes) => {
        const at = anyPage(bytes, random)
        for (let i = 0; i < PAGE; i++) bytes[at + i] = random.whole(0, 255)
      }),
  },
  {
    what: 'a page of zeros',
    seenBy: 'readers',
    spoil: (file, random) =>
      changed(file, (bytes) => {
        const at = anyPage(bytes, random)
        bytes.fill(0, at, at + PAGE)
      }),
  },
  {
    what: 'a page in the place of another',
    seenBy: 'backups',
    spoil: (file, random) =>
      changed(file, (bytes) => {
        const [from, to] = [anyPage(bytes, random), anyPage(bytes, random)]
        bytes.copyWithin(to, from, from + PAGE)
      }),
  },
  {
    what: '16 random bytes',
    seenBy: 'nobody',
    spoil: (file, random) =>
      changed(file, (bytes) => {
        const at = random.whole(0, bytes.length - 16)
        for (let i = 0; i < 16; i++) bytes[at + i] = random.whole(0, 255)
      }),
  },
  {
    what: 'one bit',
    seenBy: 'nobody',
    spoil: (file, random) =>
      changed(file, (bytes) => {
        const at = random.whole(0, bytes.length - 1)
        bytes[at]! ^= 1 << random.whole(0, 7)
      }),
  },
  {
    what: 'a file cut short',
    seenBy: 'readers',
    spoil: (file, random) => {
      const length = random.whole(0, readFileSync(file).length - 1)
      truncateSync(file, length)
    },
  },
]

function changed(file: string, change: (bytes: Buffer) => void): void {
  const bytes = readFileSync(file)
  change(bytes)
  writeFileSync(file, bytes)
}

function anyPage(bytes: Buffer, random: Random): number {
  return random.whole(0, bytes.length / PAGE - 1) * PAGE
}
