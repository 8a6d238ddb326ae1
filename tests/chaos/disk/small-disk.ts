import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, statfsSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A separate file system (ext4 in a file), small enough to fill. */
export type SmallDisk = {
  folder: string
  /** Leaves this many bytes free. */
  fill(leave: number): void
  makeRoom(): void
  /** Fails at once, despite open files, as a failed disk does. */
  breakOff(): void
  /** Mounts it again, writable or not, when no process uses it. */
  mountAgain(mode: 'rw' | 'ro'): void
  unmount(): void
}

const MEGABYTES = 64

/** Undefined if this machine does not allow one. */
export function makeSmallDisk(scratch: string): SmallDisk | undefined {
  const image = join(scratch, 'disk.img')
  const folder = join(scratch, 'disk')
  const filler = join(folder, 'filler')
  mkdirSync(folder)
  writeFileSync(image, '')
  truncateSync(image, MEGABYTES * 1024 * 1024)
  const mount = () => succeeds('mount', '-o', 'loop', image, folder)
  // The block size of a larger disk: smaller blocks make holes in SQLite's shared memory, and a write to a hole
  // without free space ends the process (SIGBUS).
  const options = ['-q', '-m', '0', '-b', '4096']
  if (!succeeds('mkfs.ext4', ...options, image) || !mount()) return undefined

  function unmount(): void {
    if (!succeeds('umount', folder)) succeeds('umount', '--lazy', folder)
  }

  return {
    folder,
    fill(leave) {
      const { bavail, bsize } = statfsSync(folder)
      writeFileSync(filler, Buffer.alloc(Math.max(0, bavail * bsize - leave)))
    },
    makeRoom() {
      rmSync(filler)
    },
    breakOff() {
      if (!succeeds('mount', '-o', 'remount,abort', folder)) throw new Error('it cannot be broken')
    },
    mountAgain(mode) {
      unmount()
      // A broken file system must be repaired first, which needs a writable disk.
      succeeds('e2fsck', '-p', image)
      if (!mount() || !succeeds('mount', '-o', `remount,${mode}`, folder)) {
        throw new Error(`the disk cannot be mounted ${mode}`)
      }
    },
    unmount,
  }
}

function succeeds(command: string, ...args: string[]): boolean {
  return spawnSync(command, args).status === 0
}
