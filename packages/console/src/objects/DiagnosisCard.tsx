import { useDiagnosis } from '../api/queries.ts'
import { useRights } from '../api/rights.ts'
import type { FleetObject, OrganizationSummary } from '../api/types.ts'
import { t } from '../language/text.ts'
import { Card } from '../ui/Card.tsx'
import { Facts } from '../ui/Figures.tsx'
import { Loaded } from '../ui/state/Loaded.tsx'
import { Time } from '../ui/time/Time.tsx'

type DiagnosisCardProps = { organization: OrganizationSummary; object: FleetObject }

/** Why an object does not move, for those who see the tokens that its device may send with. */
export function DiagnosisCard({ organization, object }: DiagnosisCardProps) {
  const { oversees } = useRights(organization.id)
  if (!oversees || object.motion === 'moving') return null
  return <Causes organization={organization.id} object={object.id} />
}

function Causes({ organization, object }: { organization: number; object: number }) {
  const diagnosis = useDiagnosis(organization, object)
  return (
    <Card
      title={t('Why does it not move?')}
      lead={t('The causes are in the order in which to look for them.')}
    >
      <Loaded query={diagnosis} lines={3}>
        {(each) => (
          <>
            {each.causes.length === 0 ? (
              <p className="soft">
                {t('Nothing keeps it from moving: packets come, and the server accepts them.')}
              </p>
            ) : (
              <ol>
                {each.causes.map(({ cause, message }) => (
                  <li key={cause}>{message}</li>
                ))}
              </ol>
            )}
            <Facts
              items={[
                [t('Last packet'), <Time key="packet" value={each.last_packet_at} as="ago" />],
                [
                  t('Last position'),
                  <Time key="position" value={each.last_position_at} as="ago" />,
                ],
                [
                  t('Feed token last used'),
                  <Time key="token" value={each.token_used_at} as="ago" />,
                ],
              ]}
            />
          </>
        )}
      </Loaded>
    </Card>
  )
}
