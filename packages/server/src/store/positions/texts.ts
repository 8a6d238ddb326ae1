import type { NumberReader, NumberWriter } from '../../domain/common/numbers.ts'

/** Texts in UTF-8, one after the other, and where each ends. An array of its own for each would take most of the reading. */
export type Texts = { readonly bytes: Buffer; readonly ends: Int32Array }

export function joinTexts(texts: readonly Uint8Array[]): Texts {
  let end = 0
  const ends = Int32Array.from(texts, ({ length }) => {
    end += length
    return end
  })
  return { bytes: Buffer.concat(texts), ends }
}

export const NO_TEXTS: Texts = joinTexts([])

/** Collects distinct texts in the order in which they come. */
export function dictionary() {
  const places = new Map<string, number>()
  const texts: Uint8Array[] = []
  function placeOf(text: Buffer): number {
    const key = text.toString('latin1')
    const known = places.get(key)
    if (known !== undefined) return known
    places.set(key, texts.length)
    return texts.push(text) - 1
  }
  return { placeOf, joined: () => joinTexts(texts) }
}

export function startOf({ ends }: Texts, place: number): number {
  return place === 0 ? 0 : ends[place - 1]!
}

export function textAt(texts: Texts, place: number): string {
  return texts.bytes.toString('utf8', startOf(texts, place), texts.ends[place])
}

/** Writes their number, the length of each, and their bytes. */
export function writeTexts(out: NumberWriter, texts: Texts): void {
  const { bytes, ends } = texts
  out.unsigned(ends.length)
  for (let place = 0; place < ends.length; place += 1) {
    out.unsigned(ends[place]! - startOf(texts, place))
  }
  out.raw(bytes)
}

export function readTexts(input: NumberReader): Texts {
  const ends = new Int32Array(input.unsigned())
  let end = 0
  for (let place = 0; place < ends.length; place += 1) {
    end += input.unsigned()
    ends[place] = end
  }
  const bytes = input.take(end)
  return { bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), ends }
}
