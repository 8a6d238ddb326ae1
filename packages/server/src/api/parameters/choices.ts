import { invalidChoice, type Refusal } from '../refusal.ts'
import type { Query } from '../request/query.ts'
import { listIn } from './object-ids.ts'

export function oneOf<Choice extends string>(
  name: string,
  text: string,
  choices: readonly Choice[],
): Choice | Refusal {
  return choices.find((choice) => choice === text) ?? invalidChoice(name, text, choices)
}

/** The distinct words of a list, in the order of the choices. Undefined if the list is absent or empty. */
export function choicesIn<Choice extends string>(
  query: Query,
  name: string,
  choices: readonly Choice[],
): Choice[] | Refusal | undefined {
  const text = listIn(query, name)
  if (text === '') return undefined
  const words = new Set(text.split(',').map((word) => word.trim()))
  const unknown = [...words].find((word) => !choices.some((choice) => choice === word))
  if (unknown !== undefined) return invalidChoice(name, unknown, choices)
  return choices.filter((choice) => words.has(choice))
}

/** A parameter that is `true` or, as without it, `false`. */
export function readSwitch(query: Query, name: string): boolean | Refusal {
  const chosen = oneOf(name, query.get(name)?.[0] || 'false', ['true', 'false'])
  return typeof chosen === 'object' ? chosen : chosen === 'true'
}
