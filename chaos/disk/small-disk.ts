import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, statfsSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A file system of its own (ext4 in a file), small enough to be filled. */
export type SmallDisk = {
  folder: string
  /** Leaves so many bytes free. */
  fill(leave: number): void
  makeRoom(): void
  /** As the kernel does where a disk fails: at once, whoever has files open. */
  breakOff(): void
  /** Mounts it anew, to be written to or not, when nobody uses it. */
  mountAgain(mode: 'rw' | 'ro'): void
  unmount(): void
}

const MEGABYTES = 64

/** Undefined where this machine does not let us make one. */
export function makeSmallDisk(scratch: string): SmallDisk | undefined {
  const image = join(scratch, 'disk.img')
  const folder = join(scratch, 'disk')
  const filler = join(folder, 'filler')
  mkdirSync(folder)
  writeFileSync(image, '')
  truncateSync(image, MEGABYTES * 1024 * 1024)
  const mount = () => succeeds('mount', '-o', 'loop', image, folder)
  // Blocks as of any larger disk: where they are smaller, SQLite's shared memory has holes, and a write to
  // one for which there is no room ends the process (SIGBUS).
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
      // What was broken off is set right first, which takes a disk that can be written to.
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
