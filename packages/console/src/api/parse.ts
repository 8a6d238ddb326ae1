import { hiddenIn, visible } from '../../../server/src/base/domain/common/plain-text.ts'

/** An answer, in whose texts hidden characters are shown as what they are: texts may come from devices and files. */
export function parse<Answer>(json: string): Answer {
  // Nearly no answer has any, and a reviver takes several times as long.
  if (hiddenIn(json) === undefined) return JSON.parse(json)
  return JSON.parse(json, (_, value) => (typeof value === 'string' ? visible(value) : value))
}
