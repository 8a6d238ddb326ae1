import { FIX_LIMITS } from '../../domain/position/fix.ts'

/** A server's answer for a place: an address, nothing there, or nothing usable. */
export type NominatimAnswer = { address: string | null } | undefined

/**
 * Nominatim's labels of the parts of an address, the most specific first
 * (https://nominatim.org/release-docs/latest/api/Output/#addressdetails).
 */
const STREET = [
  'road',
  'pedestrian',
  'footway',
  'path',
  'neighbourhood',
  'quarter',
  'hamlet',
  'isolated_dwelling',
  'suburb',
]
const SETTLEMENT = ['city', 'town', 'village', 'municipality', 'hamlet', 'county', 'state']

/**
 * Reads the body of `/reverse?format=jsonv2` with status 200 or 404. For an empty place Nominatim answers
 * 200, and compatible servers 404.
 */
export function readAnswer(status: number, body: string): NominatimAnswer {
  const answer = parse(body)
  if (answer === undefined) return undefined
  if (answer.error === 'Unable to geocode') return { address: null }
  if (status !== 200 || typeof answer.display_name !== 'string') return undefined
  const address = isRecord(answer.address) ? shorten(answer.address) : ''
  return fitting(address === '' ? answer.display_name : address)
}

/** House number, street, settlement, country: in Nominatim's own order. */
function shorten(parts: Record<string, unknown>): string {
  const first = (labels: string[]) =>
    labels.map((label) => parts[label]).find((part) => typeof part === 'string' && part !== '')
  const street = first(STREET)
  const chosen = [
    street === parts.road ? parts.house_number : undefined,
    street,
    first(SETTLEMENT),
    parts.country,
  ]
  return [...new Set(chosen)].filter((part) => typeof part === 'string' && part !== '').join(', ')
}

function fitting(text: string): NominatimAnswer {
  const address = text.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim()
  if (address === '' || Buffer.byteLength(address) > FIX_LIMITS.addressBytes) return undefined
  return { address }
}

function parse(body: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
