import { useObject } from '../api/queries.ts'
import type { OrganizationSummary } from '../api/types.ts'
import { CurrentAttributesCard } from '../attributes/CurrentAttributes.tsx'
import { t } from '../language/text.ts'
import { RejectsCard } from '../rejects/RejectsCard.tsx'
import { Crumb } from '../ui/Crumb.tsx'
import { Changing } from '../ui/changing.tsx'
import { useTitle } from '../ui/page/title.ts'
import { Loaded } from '../ui/state/Loaded.tsx'
import { AccuracyCard } from './AccuracyCard.tsx'
import { DeleteObject } from './DeleteObject.tsx'
import { DiagnosisCard } from './DiagnosisCard.tsx'
import { NowCard } from './NowCard.tsx'
import { TrackerCard } from './TrackerCard.tsx'
import { VehicleCard } from './VehicleCard.tsx'

type ObjectPageProps = { organization: OrganizationSummary; id: number }

export function ObjectPage({ organization, id }: ObjectPageProps) {
  const object = useObject(organization.id, id)
  useTitle(object.data?.name ?? t('Object'), organization.name)
  return (
    <>
      <Crumb to={`/organizations/${organization.id}/objects`}>{t('All objects')}</Crumb>
      <Loaded query={object} lines={6}>
        {(each) => (
          <>
            <NowCard organization={organization} object={each} />
            <DiagnosisCard organization={organization} object={each} />
            <RejectsCard organization={organization} object={each} />
            <CurrentAttributesCard organization={organization.id} object={each.id} />
            <VehicleCard key={`vehicle ${each.id}`} organization={organization} object={each} />
            <Changing>
              <TrackerCard key={`tracker ${each.id}`} organization={organization} object={each} />
            </Changing>
            <AccuracyCard key={`accuracy ${each.id}`} organization={organization} object={each} />
            <Changing>
              <DeleteObject organization={organization} object={each} />
            </Changing>
          </>
        )}
      </Loaded>
    </>
  )
}
