import { useUtc } from '../ui/time/time-zone.ts'
import { type Grant, grantInWords, isGrantComplete, useVehiclesInWords } from './grant.ts'
import './Grants.css'

type GrantListProps = {
  organization: number
  grants: readonly Grant[]
  /** Names of vehicles in a line, if there are not more. */
  most?: number
}

/** A line about each grant. */
export function GrantList({ organization, grants, most }: GrantListProps) {
  const [utc] = useUtc()
  const inWords = useVehiclesInWords(organization)
  return (
    <ul className="grant-list">
      {grants.map((grant, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a grant has no other name
        <li key={index}>{grantInWords(inWords(grant.objects, most), grant, utc)}</li>
      ))}
    </ul>
  )
}

type SummaryProps = GrantListProps & { label: string; note?: string }

/** The data that somebody else will see, before it is saved. */
export function GrantSummary({ label, note, ...list }: SummaryProps) {
  if (!list.grants.every(isGrantComplete)) return null
  return (
    <div className="grant-summary" role="status">
      <strong>{label}</strong>
      <GrantList {...list} />
      {note !== undefined && <p>{note}</p>}
    </div>
  )
}
