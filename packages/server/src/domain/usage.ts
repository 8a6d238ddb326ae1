/** How often an organization's key received one status from one operation on a UTC day. */
export type UsageCount = {
  organization: number
  /** `domain/time/time.ts`, `utcDay`. */
  day: number
  key: number
  operation: string
  status: number
  requests: number
}
