import type { Json } from '../../acceptance/harness/fleetgate.ts'

/** The fault of an answer that must be a 200 about one object, or a list of it alone. */
export function faultOf(status: number, text: string, object: number): string | undefined {
  if (status !== 200) return `${status} ${text.slice(0, 200)}`
  let body: Json
  try {
    body = JSON.parse(text)
  } catch {
    return `no JSON: ${text.slice(0, 200)}`
  }
  const items = Array.isArray(body.result) ? body.result : [body.result]
  const isRight = body.statusCode === 200 && items.length === 1 && items[0]?.id === object
  return isRight ? undefined : `not object ${object}: ${text.slice(0, 200)}`
}
