import { collected } from '../domain/attributes/collect.ts'
import type { Fix } from '../domain/position/fix.ts'
import type { Remarks, Row } from './row.ts'

/** Reads the attributes of rows. A value that cannot be kept costs nothing else of its row: a remark has the first one. */
export function attributeReading({ notes }: Remarks) {
  let isNoted = false

  function noteLost(name: string, line: number): void {
    if (isNoted) return
    isNoted = true
    notes.add(
      `some values of attributes were left out, the first in line ${line}, of ${name}: a text has at most 64 bytes and no line breaks, and a position at most 64 attributes in 1 KiB`,
    )
  }

  return {
    read(fix: Fix, { attributes, line }: Row): void {
      if (attributes === undefined || attributes.length === 0) return
      fix.attributes = collected(attributes, (name) => noteLost(name, line))
    },
  }
}
