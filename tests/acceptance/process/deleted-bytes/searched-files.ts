import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Bytes that are searched for. The name says what they are part of. */
export type Needle = { name: string; bytes: Buffer }

export type Found = Needle & { file: string }

/** Needles are looked up by so many of their first bytes. */
const PREFIX_BYTES = 3

/** The needles that these files, and files in these folders, have, each once. */
export function searchFiles(places: readonly string[], needles: readonly Needle[]): Found[] {
  const found = new Map<Needle, string>()
  const byPrefix = Map.groupBy(needles, ({ bytes }) => bytes.readUIntBE(0, PREFIX_BYTES))
  const isPrefix = new Uint8Array(2 ** (8 * PREFIX_BYTES))
  for (const prefix of byPrefix.keys()) isPrefix[prefix] = 1
  for (const file of places.flatMap(filesIn)) {
    const content = contentOf(file)
    let last = 0
    for (let at = 0; at < content.length; at += 1) {
      last = ((last << 8) | content[at]!) & 0xff_ff_ff
      if (isPrefix[last] === 0) continue
      const start = at + 1 - PREFIX_BYTES
      for (const needle of byPrefix.get(last) ?? []) {
        if (found.has(needle)) continue
        const { bytes } = needle
        if (content.subarray(start, start + bytes.length).equals(bytes)) found.set(needle, file)
      }
    }
  }
  return Array.from(found, ([needle, file]) => ({ ...needle, file }))
}

function filesIn(place: string): string[] {
  if (statSync(place).isFile()) return [place]
  return readdirSync(place, { withFileTypes: true, recursive: true })
    .filter((each) => each.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
}

/** A server may remove a file at any time. */
function contentOf(file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0)
    throw error
  }
}
