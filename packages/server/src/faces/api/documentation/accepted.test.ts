import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { parseQuery } from '../../../read/exchange/request.ts'
import { isRefusal, type Parameter, UNLIMITED } from '../../../read/parameters/parameter.ts'
import { OPERATIONS } from '../operations/api-operations.ts'

/*
 * The schema of a parameter takes a text if, and only if, the server does.
 */

type Described = { name: string; in: string; explode?: boolean; schema: { type: string } }

const ajv = new Ajv2020({ strictTypes: false })
const RUNS = 3_000

type Each = { parameter: Parameter<unknown>; described: Described }

/** Each parameter of the API, as its first operation has it, by its key in the description. */
const PARAMETERS = new Map<string, Each>()
for (const parameter of OPERATIONS.flatMap(({ parameters }) => parameters.documented)) {
  for (const [key, described] of Object.entries(parameter.described)) {
    if (!PARAMETERS.has(key)) PARAMETERS.set(key, { parameter, described: described as Described })
  }
}

function isTaken(parameter: Parameter<unknown>, { name, in: place }: Described, text: string) {
  const query = parseQuery(new URLSearchParams({ ...OTHERS[name], [name]: text }).toString())
  const context = { ...UNLIMITED, id: place === 'path' ? text : '7' }
  const refusal = parameter.refuse?.(query, context)
  return refusal === undefined && !isRefusal(parameter.read(query, context))
}

/** The other end of a range. It fits each start and end that exists. */
const OTHERS: Readonly<Record<string, Record<string, string>>> = {
  from_time: { to_time: '9999-12-31T23:59:59.999-23' },
  to_time: { from_time: '0000-01-01T00+23:59' },
  from_date: { to_date: '9999-12-31' },
  to_date: { from_date: '0000-01-01' },
}

/** The value that a text has in the form of the parameter. An integer has digits, in a list with spaces around them. */
function parsed(text: string, { schema, explode }: Described): unknown {
  const valueIn = (part: string, form: RegExp) => (form.test(part) ? Number(part) : part)
  if (schema.type !== 'array') return schema.type === 'integer' ? valueIn(text, /^\d+$/) : text
  assert.equal(explode, false, 'values are separated by commas')
  return text.split(',').map((part) => valueIn(part, /^ *\d+ *$/))
}

function assertAgree(key: string, texts: fc.Arbitrary<string>): void {
  const { parameter, described } = PARAMETERS.get(key)!
  const validate = ajv.compile(described.schema)
  const seen = { taken: 0, refused: 0 }
  fc.assert(
    fc.property(texts, (text) => {
      const taken = isTaken(parameter, described, text)
      assert.equal(validate(parsed(text, described)), taken, `${key}: ${JSON.stringify(text)}`)
      seen[taken ? 'taken' : 'refused'] += 1
    }),
    { numRuns: RUNS },
  )
  assert.ok(Math.min(seen.taken, seen.refused) > RUNS / 100, JSON.stringify(seen))
}

const number = (least: number, most: number, digits = 2) =>
  fc.integer({ min: least, max: most }).map((value) => String(value).padStart(digits, '0'))
const maybe = (text: fc.Arbitrary<string>) => fc.oneof(fc.constant(''), text)
const joined = (...parts: fc.Arbitrary<string>[]) =>
  fc.tuple(...parts).map((texts) => texts.join(''))

/** Texts that are dates and moments, or nearly. */
const years = fc.oneof(number(0, 9_999, 4), fc.constantFrom('1900', '2000', '2023', '2024', '0000'))
const months = fc.oneof(
  { weight: 9, arbitrary: number(1, 12) },
  { weight: 1, arbitrary: number(0, 13) },
)
const days = fc.oneof(
  { weight: 9, arbitrary: number(1, 31) },
  { weight: 1, arbitrary: number(0, 32) },
)
const hours = fc.oneof({ weight: 9, arbitrary: number(0, 23) }, number(0, 25))
const minutes = fc.oneof({ weight: 9, arbitrary: number(0, 59) }, number(0, 61))
const dates = fc
  .tuple(fc.constantFrom('-', ''), years, months, days)
  .map(([dash, ...parts]) => parts.join(dash))
const offsets = joined(
  fc.constantFrom('+', '-', ' '),
  hours,
  maybe(joined(fc.constantFrom(':', ''), minutes)),
)
const zones = fc.oneof(fc.constantFrom('', 'Z', 'z'), offsets)
const fractions = maybe(joined(fc.constantFrom('.', ','), number(0, 99_999, 1)))
const clocks = fc
  .tuple(fc.constantFrom(':', ''), hours, minutes, minutes, fractions)
  .chain(([colon, hour, minute, second, fraction]) =>
    fc.constantFrom(
      hour,
      `${hour}${colon}${minute}`,
      [hour, minute, second].join(colon) + fraction,
    ),
  )
const moments = joined(
  dates,
  maybe(joined(fc.constantFrom('T', 'T', 'T', 't', ' '), clocks, zones)),
)
/** Some texts in which one character is another. */
const broken = (texts: fc.Arbitrary<string>) =>
  fc.oneof(
    { weight: 4, arbitrary: texts },
    fc
      .tuple(texts, fc.nat(), fc.constantFrom('', ' ', '0', '9', 'x', '-', ':', '\n'))
      .map(([text, at, other]) => {
        const index = at % (text.length + 1)
        return text.slice(0, index) + other + text.slice(index + 1)
      }),
  )

const ids = fc.oneof(
  { weight: 9, arbitrary: fc.nat(99).map(String) },
  { weight: 2, arbitrary: fc.bigInt({ min: 0n, max: 10n ** 30n }).map(String) },
  {
    weight: 1,
    arbitrary: joined(
      fc.constantFrom(' ', '0', ''),
      fc.nat(99).map(String),
      fc.constantFrom(' ', ''),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('all', '', '-1', '+1', '1.0', '1e3', '0x10', 'x', '１', 'ALL'),
  },
)
const lists = fc.oneof(
  { weight: 9, arbitrary: fc.array(ids, { maxLength: 4 }).map((list) => list.join()) },
  fc
    .integer({ min: 998, max: 1_003 })
    .map((length) => Array.from({ length }, (_, id) => id % 990).join()),
  fc.constantFrom('all', 'all,all', 'all,1', '1,all', ' all', 'all,'),
)

describe('The description takes exactly the texts that the server takes', () => {
  const keys = [...PARAMETERS.keys()]
  const named = (...names: string[]) =>
    keys.filter((key) => names.includes(PARAMETERS.get(key)!.described.name))

  for (const key of named('from_time', 'to_time', 'time')) {
    it(`${key}: a time`, () => assertAgree(key, broken(moments)))
  }
  for (const key of named('from_date', 'to_date')) {
    it(`${key}: a date`, () => assertAgree(key, broken(fc.oneof(dates, dates, moments))))
  }
  for (const key of named('ids', 'geofences', 'sites')) {
    it(`${key}: a list of ids`, () => assertAgree(key, lists))
  }
  for (const key of named('id', 'object')) {
    it(`${key}: an id`, () => assertAgree(key, broken(ids)))
  }

  it('all parameters of these kinds are among them', () => {
    assert.deepEqual(named('ids').length, 4)
    assert.deepEqual(named('from_time', 'to_time', 'time', 'from_date', 'to_date').length, 7)
  })
})
