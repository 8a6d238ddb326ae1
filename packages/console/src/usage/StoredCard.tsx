import type { OrganizationSummary } from '../api/types.ts'
import { Phrase } from '../language/Phrase.tsx'
import { t } from '../language/text.ts'
import { Card } from '../ui/Card.tsx'
import { Figures } from '../ui/Figures.tsx'
import { bytes, count } from '../ui/format.ts'
import { Time } from '../ui/time/Time.tsx'

/** The stored positions of an organization, packed and not. */
export function StoredCard({ positions }: Pick<OrganizationSummary, 'positions'>) {
  return (
    <Card
      title={t('Stored positions')}
      lead={
        <>
          {t(
            'Positions older than two days are packed every hour. Packed positions take about a tenth of the space. API responses do not change.',
          )}{' '}
          {positions !== null && (
            <Phrase
              text="Counted <time />."
              parts={{ time: <Time value={positions.counted_at} as="ago" /> }}
            />
          )}
        </>
      }
    >
      {positions === null ? (
        <p className="soft">{t('Counting. Check again in a minute.')}</p>
      ) : (
        <Figures
          items={[
            [
              t('Packed'),
              <Part key="packed" rows={positions.packed} size={positions.packed_bytes} />,
            ],
            [
              t('Older than two days, not packed'),
              <Part key="rows" rows={positions.unpacked} size={positions.unpacked_bytes} />,
            ],
          ]}
        />
      )}
    </Card>
  )
}

function Part({ rows, size }: { rows: number; size: number }) {
  return (
    <>
      {count(rows)} <small>{t('in {{size}}', { size: bytes(size) })}</small>
    </>
  )
}
