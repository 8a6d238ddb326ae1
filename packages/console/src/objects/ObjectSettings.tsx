import type { FleetObject, OrganizationSummary } from '../api/types.ts'
import { Changing } from '../ui/changing.tsx'
import { AccuracyCard } from './AccuracyCard.tsx'
import { DeletedPositionsCard } from './DeletedPositionsCard.tsx'
import { DeleteObject } from './DeleteObject.tsx'
import { PrivateHoursCard } from './PrivateHoursCard.tsx'
import { RetentionCard } from './RetentionCard.tsx'
import { TrackerCard } from './TrackerCard.tsx'
import { VehicleCard } from './VehicleCard.tsx'

type ObjectSettingsProps = { organization: OrganizationSummary; object: FleetObject }

export function ObjectSettings(props: ObjectSettingsProps) {
  return (
    <>
      <VehicleCard {...props} />
      <Changing>
        <TrackerCard {...props} />
      </Changing>
      <AccuracyCard {...props} />
      <PrivateHoursCard {...props} />
      <RetentionCard {...props} />
      <DeletedPositionsCard {...props} />
      <Changing>
        <DeleteObject {...props} />
      </Changing>
    </>
  )
}
