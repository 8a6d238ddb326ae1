import type { Answer } from './client.ts'

/** Headers that differ between any two answers. */
const VARYING = /^(date|x-request-id|retry-after|(x-)?ratelimit.*|x-quota-reset)$/

/** Status, headers and body of an answer, without what differs between any two: time, id, rate and reset. */
export function comparable({ status, headers, text }: Answer): string {
  const kept = Object.entries(headers).filter(([name]) => !VARYING.test(name))
  return JSON.stringify([status, kept, text.replace(/"timestamp":"[^"]*"/, '')])
}
