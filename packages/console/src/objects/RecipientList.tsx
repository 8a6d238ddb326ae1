import type { Recipient } from '../api/types.ts'
import { UNNAMED } from '../disclosures/RecipientTable.tsx'
import { SOURCE_NAMES } from '../disclosures/sources.ts'
import { OPERATION_NAMES } from '../keys/scope/scope-texts.ts'
import { t } from '../language/text.ts'
import { utcDay } from '../ui/format.ts'

type RecipientListProps = { items: readonly Recipient[]; shown?: number }

/** The recipients and people that were given data of a vehicle: for which purpose, which data, and when last. */
export function RecipientList({ items, shown }: RecipientListProps) {
  if (items.length === 0) return <p className="soft">{t('None.')}</p>
  return (
    <ul className="vehicle-list">
      {byPurpose(items)
        .slice(0, shown)
        .map(([purpose, rows]) => (
          <li key={purpose}>
            <Given rows={rows} />
          </li>
        ))}
    </ul>
  )
}

function Given({ rows }: { rows: Recipient[] }) {
  const { source, recipient, purpose } = rows[0]!
  const last = rows
    .map(({ last_date }) => last_date)
    .toSorted()
    .at(-1)!
  return (
    <>
      <div className="row between">
        <strong>{recipient ?? (source === 'key' ? UNNAMED : SOURCE_NAMES[source])}</strong>
        <span className="soft small">{utcDay(last)}</span>
      </div>
      <div className="soft small">
        {[
          ...(purpose === null ? [] : [purpose]),
          ...rows.map(({ data }) => OPERATION_NAMES[data]),
        ].join(' · ')}
      </div>
    </>
  )
}

function byPurpose(rows: readonly Recipient[]): [purpose: string, rows: Recipient[]][] {
  const purposes = new Map<string, Recipient[]>()
  for (const row of rows) {
    const purpose = JSON.stringify([row.source, row.recipient, row.purpose])
    const others = purposes.get(purpose)
    if (others === undefined) purposes.set(purpose, [row])
    else others.push(row)
  }
  return [...purposes]
}
