import { Link } from 'wouter'
import { useRecipients } from '../api/queries.ts'
import { t } from '../language/text.ts'
import { Card } from '../ui/Card.tsx'
import { besideDay, dayOf } from '../ui/time/days.ts'
import { RecipientList } from './RecipientList.tsx'

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
  return (
    <Card
      title={t('Data access')}
      lead={t('Recipients and people that have read this vehicle’s data in the last 30 days.')}
    >
      <RecipientList items={data.items} shown={SHOWN} />
      {data.items.length > 0 && (
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
