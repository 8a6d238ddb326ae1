import { parseJson, writeArray, writeArrays } from '../domain/common/json.ts'
import type { Steps } from '../domain/common/steps.ts'
import { runInTurns } from '../domain/common/turn.ts'
import { type ItemKind, settingsStoredAs } from './kinds.ts'

/** Shorter texts are written and parsed faster than they are looked up. */
const LONG_CHARACTERS = 16 * 1024
const LONG_ITEMS = 500

/** The JSON of long values that were read or are about to be stored. A value never changes. */
const texts = new WeakMap<object, string>()

export function jsonText(value: unknown): string {
  const known = Array.isArray(value) ? texts.get(value) : undefined
  return known ?? JSON.stringify(value)
}

/** The value of a stored text. */
export function* parseText(text: string): Steps<unknown> {
  if (text.length < LONG_CHARACTERS) return JSON.parse(text)
  const value = yield* parseJson(text)
  texts.set(value as object, text)
  return value
}

/** Writes the long values of settings in turns, so that a transaction finds their texts. */
export async function writeLongTexts<Settings extends object>(
  kind: ItemKind<Settings>,
  entries: readonly Partial<Settings>[],
): Promise<void> {
  const json = settingsStoredAs('json', kind)
  for (const entry of entries) {
    for (const setting of json) {
      const value: unknown = entry[setting]
      if (!Array.isArray(value) || texts.has(value) || !isLong(value)) continue
      texts.set(value, await runInTurns(writeLong(value)))
    }
  }
}

function isLong(value: readonly unknown[]): boolean {
  return value.length > LONG_ITEMS || value.some((each) => Array.isArray(each) && each.length > 2)
}

function writeLong(value: readonly unknown[]): Steps<string> {
  const isOfLines = value.every((each) => Array.isArray(each) && Array.isArray(each[0]))
  return isOfLines ? writeArrays(value as unknown[][]) : writeArray(value)
}
