import { spawnSync } from 'node:child_process'
import {
  closeSync,
  copyFileSync,
  mkdirSync,
  openSync,
  readSync,
  rmSync,
  statfsSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { basename, join } from 'node:path'

/**
 * A thin-provisioned volume: ext4 in a sparse file on a small tmpfs, the pool. While the pool is
 * exhausted, ext4 has room and accepts every write, but the write to the disk fails, and so does the
 * sync.
 */
export type ThinVolume = {
  folder: string
  /** Uses up the pool. Blocks that were written before can be written again. */
  exhaust(): void
  /** Gives the space back to the pool. */
  replenish(): void
  /** Mounts a copy of the current disk, as after a power cut. Returns its folder. */
  powerCut(): string
  remove(): void
}

const POOL_MEGABYTES = 24
const DISK_MEGABYTES = 32
/** The beginning of the disk, where ext4 keeps its journal and its tables. */
const METADATA_BYTES = 1_045 * 4_096

/** Undefined if this machine cannot do it: it needs root and a loop device. */
export function makeThinVolume(scratch: string): ThinVolume | undefined {
  const pool = join(scratch, 'pool')
  const folder = join(scratch, 'thin')
  const image = join(pool, 'disk.img')
  const filler = join(pool, 'filler')
  const mounted: string[] = []

  function mount(place: string, ...what: string[]): boolean {
    mkdirSync(place)
    const isMounted = succeeds('mount', ...what, place)
    if (isMounted) mounted.push(place)
    return isMounted
  }

  function remove(): void {
    for (const place of mounted.splice(0).toReversed()) {
      if (!succeeds('umount', place)) succeeds('umount', '--lazy', place)
    }
  }

  mkdirSync(scratch, { recursive: true })
  const isMade =
    mount(pool, '-t', 'tmpfs', '-o', `size=${POOL_MEGABYTES}m`, 'tmpfs') &&
    format(image) &&
    mount(folder, '-o', 'loop', image) &&
    failWholeWrites(image)
  if (!isMade) {
    remove()
    return undefined
  }
  let cuts = 0
  return {
    folder,
    exhaust() {
      const { bavail, bsize } = statfsSync(pool)
      try {
        writeFileSync(filler, Buffer.alloc(bavail * bsize))
      } catch (error) {
        // The volume may take some of it meanwhile.
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
      }
    },
    replenish() {
      rmSync(filler)
    },
    powerCut() {
      cuts += 1
      const copy = join(scratch, `cut-${cuts}.img`)
      const place = join(scratch, `cut-${cuts}`)
      copyFileSync(image, copy)
      if (!mount(place, '-o', 'loop', copy)) throw new Error('the copied disk cannot be mounted')
      return place
    },
    remove,
  }
}

/** Give the file system's own blocks their space in the pool now, so that only files can fail later. */
function format(image: string): boolean {
  const layout = ['-N', '128', '-E', 'packed_meta_blocks=1,lazy_itable_init=0', '-J', 'size=4']
  const size = `${DISK_MEGABYTES}M`
  if (!succeeds('mkfs.ext4', '-q', '-m', '0', '-b', '4096', ...layout, image, size)) return false
  const metadata = Buffer.alloc(METADATA_BYTES)
  const disk = openSync(image, 'r+')
  readSync(disk, metadata, 0, METADATA_BYTES, 0)
  writeSync(disk, metadata, 0, METADATA_BYTES, 0)
  closeSync(disk)
  return true
}

/**
 * A loop device reports a write as done if its beginning was written. So each write is a single block,
 * which is either written or fails, as on other disks.
 */
function failWholeWrites(image: string): boolean {
  const { stdout } = spawnSync('losetup', ['-j', image, '-n', '-O', 'NAME'], { encoding: 'utf8' })
  try {
    writeFileSync(`/sys/block/${basename(stdout.trim())}/queue/max_sectors_kb`, '4')
    return true
  } catch {
    return false
  }
}

function succeeds(command: string, ...args: string[]): boolean {
  return spawnSync(command, args).status === 0
}
