import { constants, ftruncateSync, readSync, writeSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { StoreUnavailable } from '../store.ts'
import { openDirect, pagesOfMemory } from './direct-file.ts'
import { logChain } from './log-chain.ts'
import { retryWhileBusy } from './retry-while-busy.ts'

/** The disk does not have what this process has read. Only a new process sees what the disk has. */
export class LogLost extends StoreUnavailable {
  override name = 'LogLost'
}

/**
 * Writes again what was committed to the log and is not on the disk, for the next sync to bring it there.
 * Rejects with `LogLost` where the page cache does not have it any more either.
 *
 * It goes to new blocks, and so does what is appended later. A new block that ext4 could not write stays a
 * hole, however often the page is written again, and the syncs succeed.
 */
export async function repairLog(database: string, committedFrames: () => number): Promise<void> {
  using lock = new DatabaseSync(database, { timeout: 0 })
  const file = `${database}-wal`
  const memory = pagesOfMemory()
  try {
    // While this lock is held, no process appends to the log or begins it anew.
    await retryWhileBusy(() => lock.exec('BEGIN IMMEDIATE'))
  } catch (cause) {
    // Every transaction reads the first page of the database, which may be lost as well.
    throw (await isCut(file, committedFrames(), memory)) ? lost(file, cause) : cause
  }
  const frames = Math.max(0, committedFrames())
  await using direct = await openDirect(file, constants.O_RDONLY, memory)
  const onDisk = direct === null ? null : await wholeFrames(direct, frames, memory)
  await using log = await open(file, 'r+')
  // Behind the end may be blocks of a transaction that was taken back, which have to be new ones as well.
  if (onDisk?.frames === frames) return ftruncateSync(log.fd, onDisk.bytes)
  const cached = await wholeFrames(log, frames, memory)
  if (cached.frames < frames) throw lost(file)
  if (onDisk === null) return writeInPlace(log.fd, cached.bytes)
  writeToNewBlocks(file, log.fd, onDisk.bytes, cached.bytes)
}

/** Acknowledged frames are before `from`, so a crash in the middle costs none of them. */
function writeToNewBlocks(file: string, log: number, from: number, to: number): void {
  const bytes = Buffer.alloc(to - from)
  // Without a pause: SQLite must not read here while the log is shorter.
  readWhole(log, bytes, from)
  ftruncateSync(log, from)
  try {
    writeWhole(log, bytes, from)
  } catch (cause) {
    throw lost(file, cause)
  }
}

/** Where nobody can ask what is on the disk: enough for file systems that write a page again. */
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

/** How much of a log is whole, of its first `most` frames. */
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
