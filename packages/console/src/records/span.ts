type Span = { start_time: string; end_time: string | null }

export function startOf({ start_time }: Span): number {
  return Date.parse(start_time)
}

/** In milliseconds. Infinite while it lasts. */
export function endOf({ end_time }: Span): number {
  return end_time === null ? Number.POSITIVE_INFINITY : Date.parse(end_time)
}
