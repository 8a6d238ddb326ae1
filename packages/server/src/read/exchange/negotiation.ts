import { LANGUAGES, type Language } from '../../base/domain/organization.ts'
import { type Format, MEDIA_TYPES } from '../formats/formats.ts'
import { type Refusal, repeatedParameter, unknownFormat } from '../refusal.ts'
import type { Query } from './request.ts'

/**
 * The format of an answer: by the parameter `format`, or by `Accept`. `offered`: the formats of the operation,
 * JSON first.
 */
export function readFormat(
  offered: readonly Format[],
  query: Query,
  accept: string | undefined,
): Format | Refusal {
  const given = query.get('format')
  if (given !== undefined && given.length > 1) return repeatedParameter('format')
  const [name = ''] = given ?? []
  if (name === '') return acceptedFormat(offered, accept)
  return offered.find((format) => format === name) ?? unknownFormat(name, offered)
}

/** The headers of most clients name no format that is not JSON. */
const NAMES_ANOTHER = /ndjson|csv|spreadsheetml|geo\+json|gpx|kml/i

/**
 * The offered format with the highest weight (RFC 9110, 12.5.1). A range such as a wildcard counts for JSON alone:
 * a client that wants another format names it.
 */
function acceptedFormat(offered: readonly Format[], accept: string | undefined): Format {
  if (offered.length === 1 || accept === undefined || !NAMES_ANOTHER.test(accept)) return 'json'
  const weights = highestWeights(acceptItems(accept.toLowerCase()))
  const range = weights.get('application/*') ?? weights.get('*/*') ?? 0
  let [preferred, highest]: [Format, number] = ['json', weights.get('application/json') ?? range]
  for (const format of offered) {
    const weight = weights.get(MEDIA_TYPES[format]) ?? 0
    if (weight <= highest) continue
    preferred = format
    highest = weight
  }
  return preferred
}

/**
 * Whether an `Accept` header (RFC 9110, 12.5.1) names server-sent events and prefers nothing else to them.
 * Without a preference between them and JSON, the answer is JSON.
 */
export function wantsEvents(header: string | undefined): boolean {
  if (header === undefined) return false
  const weights = highestWeights(acceptItems(header.toLowerCase()))
  const events = weights.get('text/event-stream') ?? 0
  return events > (weights.get('application/json') ?? 0)
}

/** Content codings, the one with the best ratio of saving to cost first. */
const CODINGS = ['zstd', 'br', 'gzip'] as const
export type Coding = (typeof CODINGS)[number]

/**
 * The coding that an `Accept-Encoding` header prefers (RFC 9110, 12.5.3): by weight, then by the order of
 * `CODINGS`. Undefined: none. `*` stands for gzip alone, because clients that send it seldom know the newer
 * codings.
 */
export function preferredCoding(header: string | undefined): Coding | undefined {
  if (header === undefined) return undefined
  const weights = highestWeights(acceptItems(header.toLowerCase()))
  let preferred: Coding | undefined
  let highest = 0
  for (const coding of CODINGS) {
    const weight = weights.get(coding) ?? (coding === 'gzip' ? weights.get('*') : 0) ?? 0
    if (weight <= highest) continue
    preferred = coding
    highest = weight
  }
  return identityWeight(weights) > highest ? undefined : preferred
}

/** `identity` without an item of its own weighs as much as the lowest item, apart from those of weight 0. */
function identityWeight(weights: Weights): number {
  return weights.get('identity') ?? weights.get('*') ?? weights.lowest
}

const RANGE = /^([a-z]{1,8}|\*)(?:-(?:[a-z0-9]{1,8}|\*))*$/i
const LANGUAGE_WEIGHT = /^q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/i

/**
 * The language of an answer: the best match of `Accept-Language` by lookup (RFC 4647, 3.4: `pt-BR` gets
 * `pt`), by weight, then by order. Malformed ranges are ignored. Without a match, and for `*`, the
 * fallback. `offered`: the languages that there are.
 */
export function bestLanguage<Offered extends Language>(
  header: string | undefined,
  fallback: Offered,
  offered: readonly Offered[] = LANGUAGES as readonly Language[] as readonly Offered[],
): Offered {
  if (header === undefined) return fallback
  const ranges = acceptItems(header).flatMap(parseRange)
  const named = new Set(ranges.filter((range) => range.bare).map((range) => range.primary))
  const wanted = ranges.filter((range) => range.weight > 0).sort((a, b) => b.weight - a.weight)
  for (const { primary } of wanted) {
    const match = offered.find((language) => language === primary)
    if (match !== undefined) return match
    if (primary !== '*') continue
    const unnamed = [fallback, ...offered].find((language) => !named.has(language))
    if (unnamed !== undefined) return unnamed
  }
  return fallback
}

function parseRange({
  value,
  parameters,
}: AcceptItem): { primary: string; bare: boolean; weight: number }[] {
  const primary = RANGE.exec(value)?.[1]
  const [weight = 'q=1', ...others] = parameters
  const number = LANGUAGE_WEIGHT.exec(weight)?.[1]
  if (primary === undefined || number === undefined || others.length > 0) return []
  return [{ primary: primary.toLowerCase(), bare: primary === value, weight: Number(number) }]
}

/** The highest weight of each value, and the lowest weight above 0 of all items, which is at most 1. */
type Weights = { get(value: string): number | undefined; readonly lowest: number }

function highestWeights(items: readonly AcceptItem[]): Weights {
  const highest = new Map<string, number>()
  let lowest = 1
  for (const item of items) {
    const weight = weightIn(item)
    if (weight !== 0) lowest = Math.min(lowest, weight)
    const known = highest.get(item.value)
    if (known === undefined || weight > known) highest.set(item.value, weight)
  }
  return { get: (value) => highest.get(value), lowest }
}

const WEIGHT = /^q\s*=\s*"?(?=.)/

/** 1 without a weight, and 0 for a malformed one. */
function weightIn({ parameters }: AcceptItem): number {
  const weight = parameters.find((parameter) => WEIGHT.test(parameter))
  if (weight === undefined) return 1
  return Math.max(0, Math.min(1, Number.parseFloat(weight.replace(WEIGHT, '')) || 0))
}

/** One choice of a client: a value, such as `gzip` or `pt-BR`, and its parameters, such as `q=0.5`. */
type AcceptItem = { readonly value: string; readonly parameters: readonly string[] }

/** The most items of a header that count. The lists of browsers and libraries have at most twenty. */
export const MAX_ITEMS = 100
/** The most parameters of an item that count. */
const MAX_PARAMETERS = 10

/**
 * The items of an `Accept-…` header (RFC 9110, 12.4), in their order, without the spaces around the parts and
 * without empty items (RFC 9110, 5.6.1). A header may have thousands, so those after the first `MAX_ITEMS` are not
 * read.
 */
function acceptItems(header: string): AcceptItem[] {
  const items: AcceptItem[] = []
  for (const item of header.split(',', MAX_ITEMS)) {
    if (item.trim() === '') continue
    const [value = '', ...parameters] = item
      .split(';', 1 + MAX_PARAMETERS)
      .map((part) => part.trim())
    items.push({ value, parameters })
  }
  return items
}
