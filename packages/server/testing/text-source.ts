import { Readable } from 'node:stream'
import { chunksOf, type Source, sourceOf } from '../src/import/source.ts'

/** A source with this text, read in chunks of `size` bytes. */
export function sourceOfText(name: string, text: string, size = 1 << 16): Source {
  const bytes = Buffer.from(text)
  return sourceOf(name, bytes.length, Readable.from(chunksOf(bytes, size)), NEVER)
}

const NEVER = new AbortController().signal
