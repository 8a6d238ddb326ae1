import { dayAndTime, inUtc } from './instants.ts'

/** A moment in the viewer's zone, with UTC on hover. */
export function Moment({ at }: { at: string | number | null }) {
  if (at === null) return <>–</>
  return (
    <time dateTime={new Date(at).toISOString()} title={inUtc(at)}>
      {dayAndTime(at)}
    </time>
  )
}
