import { NumberReader, NumberWriter } from '../domain/common/packed-numbers.ts'
import type { OpenRecord } from '../domain/record.ts'
import type { Tail } from './record-store.ts'

/*
 * A tail as a column keeps it, in numbers of `domain/common/packed-numbers.ts`: the number of its form, the number of open
 * records, id, revision, time of the last change and fields of each, then the progress.
 */

const FORM = 1

export function packTail({ open, progress }: Tail): Uint8Array {
  const out = new NumberWriter()
  out.unsigned(FORM)
  out.unsigned(open.length)
  for (const { id, revision, updatedAt, fields } of open) {
    out.unsigned(id)
    out.unsigned(revision)
    out.unsigned(updatedAt)
    out.blob(fields)
  }
  out.blob(progress)
  return out.bytes()
}

export function unpackTail(packed: Uint8Array): Tail {
  const input = readerOf(packed)
  const open: OpenRecord[] = []
  for (let left = input.unsigned(); left > 0; left -= 1) open.push(readOpen(input))
  return { open, progress: input.blob() }
}

/** The open record with an id. Undefined: the tail has nothing of it. */
export function openRecordIn(packed: Uint8Array, id: number): OpenRecord | undefined {
  const input = readerOf(packed)
  for (let left = input.unsigned(); left > 0; left -= 1) {
    const open = readOpen(input)
    if (open.id === id) return open
  }
  return undefined
}

function readOpen(input: NumberReader): OpenRecord {
  return {
    id: input.unsigned(),
    revision: input.unsigned(),
    updatedAt: input.unsigned(),
    fields: input.blob(),
  }
}

function readerOf(packed: Uint8Array): NumberReader {
  const input = new NumberReader(packed)
  if (input.unsigned() !== FORM) {
    throw new Error('the tail of an object has a form that this version does not know')
  }
  return input
}
