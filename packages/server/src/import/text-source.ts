import { Readable } from 'node:stream'
import { type Source, sourceOf } from './source.ts'

/** The bytes in chunks of this size. */
export async function* chunksOf(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

/** A source with this text, read in chunks of `size` bytes. */
export function sourceOfText(name: string, text: string, size = 1 << 16): Source {
  const bytes = Buffer.from(text)
  return sourceOf(name, bytes.length, Readable.from(chunksOf(bytes, size)), NEVER)
}

const NEVER = new AbortController().signal
