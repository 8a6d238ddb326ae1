import { constants, ftruncateSync, readSync, writeSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { StoreUnavailable } from '../../../engine/store/store.ts'
import { retryWhileBusy } from '../unavailable.ts'
import { openDirect, pagesOfMemory } from './hole-filler.ts'
import { logChain } from './log-chain.ts'

/** The disk has lost data that this process has read. Only a new process sees what the disk still has. */
export class LogLost extends StoreUnavailable {
  override name = 'LogLost'
}

/**
 * Writes committed frames of the log again that did not reach the disk. The next sync brings them there.
 * Rejects with `LogLost` if the page cache has lost them too.
 *
 * The frames go to new blocks of the file, and so do later ones. If ext4 could not write a block, that
 * block stays a hole: writing the page again does not fill it, although the syncs succeed.
 */
export async function repairLog(database: string, committedFrames: () => number): Promise<void> {
  using lock = new DatabaseSync(database, { timeout: 0 })
  const file = `${database}-wal`
  const memory = pagesOfMemory()
  try {
    // While this lock is held, no process appends to the log or restarts it.
    await retryWhileBusy(() => lock.exec('BEGIN IMMEDIATE'))
  } catch (cause) {
    // The lock failed: each transaction reads the first page of the database, which may be lost too.
    throw (await isCut(file, committedFrames(), memory)) ? lost(file, cause) : cause
  }
  const frames = Math.max(0, committedFrames())
  await using direct = await openDirect(file, constants.O_RDONLY, memory)
  const onDisk = direct === null ? null : await wholeFrames(direct, frames, memory)
  await using log = await open(file, 'r+')
  // Cut off blocks after the end: they belong to a transaction that was rolled back, and may be holes.
  if (onDisk?.frames === frames) return ftruncateSync(log.fd, onDisk.bytes)
  const cached = await wholeFrames(log, frames, memory)
  if (cached.frames < frames) throw lost(file)
  if (onDisk === null) return writeInPlace(log.fd, cached.bytes)
  writeToNewBlocks(file, log.fd, onDisk.bytes, cached.bytes)
}

/** All frames that were acknowledged are before `from`, so a crash in between loses none of them. */
function writeToNewBlocks(file: string, log: number, from: number, to: number): void {
  const bytes = Buffer.alloc(to - from)
  // Do not await anything here: SQLite must not read the log while it is shorter.
  readWhole(log, bytes, from)
  ftruncateSync(log, from)
  try {
    writeWhole(log, bytes, from)
  } catch (cause) {
    throw lost(file, cause)
  }
}

/** For systems that cannot read what is on the disk. It is enough if the file system writes the pages again. */
function writeInPlace(log: number, to: number): void {
  const bytes = Buffer.alloc(to)
  readWhole(log, bytes, 0)
  writeWhole(log, bytes, 0)
}

function lost(file: string, cause?: unknown): LogLost {
  return new LogLost(
    `The disk has lost a part of ${file} after a sync that failed. This process ends, because it has ` +
      'read what the disk does not have. Start it again: all that was acknowledged is on the disk.',
    { cause },
  )
}

async function isCut(file: string, frames: number, memory: Buffer): Promise<boolean> {
  await using log = await open(file)
  return (await wholeFrames(log, frames, memory)).frames < frames
}

type Extent = { frames: number; bytes: number }

/** The part of a log that is whole, up to its first `most` frames. */
async function wholeFrames(log: FileHandle, most: number, memory: Buffer): Promise<Extent> {
  const chain = logChain(most)
  for (let position = 0; chain.frames() < most; position += memory.length) {
    const { bytesRead } = await log.read(memory, 0, memory.length, position)
    chain.take(memory.subarray(0, bytesRead))
    if (bytesRead < memory.length) break
  }
  return { frames: chain.frames(), bytes: chain.bytes() }
}

function readWhole(file: number, bytes: Buffer, position: number): void {
  for (let at = 0; at < bytes.length; ) {
    const read = readSync(file, bytes, at, bytes.length - at, position + at)
    if (read === 0) throw new Error('the log is shorter than it was')
    at += read
  }
}

function writeWhole(file: number, bytes: Buffer, position: number): void {
  for (let at = 0; at < bytes.length; ) {
    at += writeSync(file, bytes, at, bytes.length - at, position + at)
  }
}
