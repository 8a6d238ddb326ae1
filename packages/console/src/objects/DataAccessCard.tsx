import { Link } from 'wouter'
import { useRecipients } from '../api/queries.ts'
import type { Recipient } from '../api/types.ts'
import { UNNAMED } from '../disclosures/RecipientTable.tsx'
import { SOURCE_NAMES } from '../disclosures/sources.ts'
import { OPERATION_NAMES } from '../keys/scope/words.ts'
import { t } from '../language/text.ts'
import { Card } from '../ui/Card.tsx'
import { utcDay } from '../ui/format.ts'
import { besideDay, dayOf } from '../ui/time/days.ts'

type DataAccessCardProps = { organization: number; object: number }

/** The days of the answer without other ones. */
const DAYS = 30
/** How many recipients are shown. */
const SHOWN = 5

/** The recipients and people that have read data of a vehicle. */
export function DataAccessCard({ organization, object }: DataAccessCardProps) {
  const { data } = useRecipients(organization, `object=${object}`)
  if (data === undefined) return null
  const from = besideDay(dayOf(Date.now(), true), 1 - DAYS)
  const given = byPurpose(data.items)
  return (
    <Card
      title={t('Data access')}
      lead={t('Recipients and people that have read this vehicle’s data in the last 30 days.')}
    >
      {given.length === 0 ? (
        <p className="soft">{t('None.')}</p>
      ) : (
        <ul className="vehicle-list">
          {given.slice(0, SHOWN).map(([purpose, rows]) => (
            <li key={purpose}>
              <Given rows={rows} />
            </li>
          ))}
        </ul>
      )}
      {given.length > 0 && (
        <p className="small">
          <Link
            href={`/organizations/${organization}/keys/disclosures?object=${object}&from=${from}`}
          >
            {t('Show details')}
          </Link>
        </p>
      )}
    </Card>
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

function byPurpose(rows: Recipient[]): [purpose: string, rows: Recipient[]][] {
  const purposes = new Map<string, Recipient[]>()
  for (const row of rows) {
    const purpose = JSON.stringify([row.source, row.recipient, row.purpose])
    const others = purposes.get(purpose)
    if (others === undefined) purposes.set(purpose, [row])
    else others.push(row)
  }
  return [...purposes]
}
