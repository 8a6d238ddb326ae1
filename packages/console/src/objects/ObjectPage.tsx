import { Link } from 'wouter'
import { useObject } from '../api/queries.ts'
import type { OrganizationSummary } from '../api/types.ts'
import { useTitle } from '../app/title.ts'
import { CurrentAttributesCard } from '../attributes/CurrentAttributes.tsx'
import { Changing } from '../ui/changing.tsx'
import { Icon } from '../ui/Icon.tsx'
import { Loaded } from '../ui/state/Loaded.tsx'
import { AccuracyCard } from './AccuracyCard.tsx'
import { DeleteObject } from './DeleteObject.tsx'
import { NowCard } from './NowCard.tsx'
import { RejectsCard } from './RejectsCard.tsx'
import { VehicleCard } from './VehicleCard.tsx'

type ObjectPageProps = { organization: OrganizationSummary; id: number }

export function ObjectPage({ organization, id }: ObjectPageProps) {
  const object = useObject(organization.id, id)
  useTitle(object.data?.name ?? 'Object', organization.name)
  return (
    <>
      <Link href={`/organizations/${organization.id}/objects`} className="crumb">
        <Icon name="back" size={14} />
        All objects
      </Link>
      <Loaded query={object} lines={6} what="object">
        {(each) => (
          <>
            <NowCard organization={organization} object={each} />
            <RejectsCard organization={organization} object={each} />
            <CurrentAttributesCard organization={organization.id} object={each.id} />
            <VehicleCard key={`vehicle ${each.id}`} organization={organization} object={each} />
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
