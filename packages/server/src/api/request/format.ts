import { type Format, MEDIA_TYPES } from '../encode/formats/formats.ts'
import { type Refusal, repeatedParameter, unknownFormat } from '../refusal.ts'
import { acceptItems } from './accept-items.ts'
import type { Query } from './query.ts'
import { highestWeights } from './weights.ts'

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
const NAMES_ANOTHER = /ndjson|csv|geo\+json|gpx|kml/i

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
