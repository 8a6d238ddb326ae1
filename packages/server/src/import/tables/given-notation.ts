import { ImportMisuse } from '../row.ts'
import { encodingOf } from './encoding.ts'
import {
  DATE_ORDERS,
  DECIMAL_MARKS,
  DELIMITERS,
  type Delimiter,
  type GivenNotation,
  NOTATION_PARTS,
  type NotationPart,
} from './notation.ts'

/** The options that say how a table is written, as help and descriptions have them. */
export const NOTATION_OPTIONS: Readonly<
  Record<NotationPart, { choices: readonly string[] | null; about: string }>
> = {
  encoding: { choices: null, about: 'the encoding of a CSV file, such as windows-1252' },
  delimiter: {
    choices: Object.keys(DELIMITERS),
    about: 'the mark between the cells of a CSV file',
  },
  decimal: { choices: DECIMAL_MARKS, about: 'the decimal mark of a CSV file' },
  dates: { choices: DATE_ORDERS, about: 'the order of day, month and year in a CSV file' },
}

/** The notation that a caller gives in words. Throws `ImportMisuse`. */
export function notationOf(word: (part: NotationPart) => string | null): GivenNotation {
  const encoding = word('encoding')
  return {
    encoding: encoding === null ? null : encodingOf(encoding),
    delimiter: chosen('delimiter', word('delimiter'), Object.keys(DELIMITERS) as Delimiter[]),
    decimal: chosen('decimal', word('decimal'), DECIMAL_MARKS),
    dates: chosen('dates', word('dates'), DATE_ORDERS),
  }
}

function chosen<Choice extends string>(
  part: NotationPart,
  word: string | null,
  choices: readonly Choice[],
): Choice | null {
  const choice = choices.find((each) => each === word)
  if (word === null || choice !== undefined) return choice ?? null
  throw new ImportMisuse(`--${part}: '${word}' is not one of ${choices.join(' ')}`)
}

/** Throws `ImportMisuse` if a notation is given for a file that is no table. */
export function refuseNotation(given: GivenNotation, source: string): void {
  const part = NOTATION_PARTS.find((each) => given[each] !== null)
  if (part !== undefined) {
    throw new ImportMisuse(`--${part} says how CSV is written, and '${source}' is not CSV`)
  }
}
