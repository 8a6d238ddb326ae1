import { useDiagnosis } from '../api/queries.ts'
import type { Diagnosis, FleetObject, OrganizationSummary } from '../api/types.ts'
import { said } from '../language/said.ts'
import { t } from '../language/text.ts'
import { Facts } from '../ui/Figures.tsx'
import { Note } from '../ui/state/Note.tsx'
import { Time } from '../ui/time/Time.tsx'

type StillCausesProps = {
  organization: OrganizationSummary
  object: FleetObject
  /** Which of the two is shown: they are at different places. */
  urgent: boolean
}
type Cause = Diagnosis['causes'][number]

/** A parked vehicle has these causes too. */
const CALM: readonly Cause['cause'][] = ['noise', 'jump', 'silent_device']

/** Why a vehicle does not move. It is urgent if a person has to do something. */
export function StillCauses({ organization, object, urgent }: StillCausesProps) {
  const diagnosis = useDiagnosis(organization.id, object.id).data
  if (diagnosis === undefined || object.motion === 'moving') return null
  const { causes } = diagnosis
  const isLost = object.motion === 'no_signal' || object.motion === null
  const isUrgent = causes.some(({ cause }) => isLost || !CALM.includes(cause))
  if (isUrgent !== urgent) return null
  if (isUrgent) {
    return (
      <Note kind="warn">
        <h3>{t('Why is this vehicle not moving?')}</h3>
        <Causes causes={causes} />
        <Signs diagnosis={diagnosis} />
      </Note>
    )
  }
  return (
    <details className="vehicle-still">
      <summary>{t('Why is this vehicle not moving?')}</summary>
      <div className="stack-small">
        <Causes causes={causes} />
        <Signs diagnosis={diagnosis} />
      </div>
    </details>
  )
}

function Causes({ causes }: { causes: Cause[] }) {
  if (causes.length === 0) {
    return <p>{t('Packets arrive and are accepted, so the vehicle is actually standing still.')}</p>
  }
  if (causes.length === 1) return <p>{said(causes[0]!.message)}</p>
  return (
    <ol>
      {causes.map(({ cause, message }) => (
        <li key={cause}>{said(message)}</li>
      ))}
    </ol>
  )
}

function Signs({ diagnosis }: { diagnosis: Diagnosis }) {
  return (
    <Facts
      items={[
        [t('Last packet'), <Time key="packet" value={diagnosis.last_packet_at} as="ago" />],
        [t('Last position'), <Time key="position" value={diagnosis.last_position_at} as="ago" />],
        [t('Feed token last used'), <Time key="token" value={diagnosis.token_used_at} as="ago" />],
      ]}
    />
  )
}
