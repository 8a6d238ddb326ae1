import { useRejects } from '../api/queries.ts'
import { useRights } from '../api/rights.ts'
import type { FleetObject, OrganizationSummary } from '../api/types.ts'
import { useVehicle } from '../api/use-vehicle.ts'
import { t } from '../language/text.ts'
import { RejectsCard } from '../rejects/RejectsCard.tsx'
import { ShareVehicles } from '../sharing/ShareVehicles.tsx'
import { Button, ButtonLink } from '../ui/Button.tsx'
import { Crumb } from '../ui/Crumb.tsx'
import { Changing } from '../ui/changing.tsx'
import { Icon } from '../ui/Icon.tsx'
import { MotionFor } from '../ui/MotionFor.tsx'
import { useAddress } from '../ui/page/address.ts'
import { mapHref } from '../ui/page/map-address.ts'
import { useTitle } from '../ui/page/title.ts'
import { Loaded } from '../ui/state/Loaded.tsx'
import { NotFound } from '../ui/state/NotFound.tsx'
import { type Tab, Tabs } from '../ui/Tabs.tsx'
import { Updated } from '../ui/time/Updated.tsx'
import { speedText } from '../ui/units.ts'
import { MotionMark } from './motion.tsx'
import { ObjectSettings } from './ObjectSettings.tsx'
import { Overview } from './Overview.tsx'
import './ObjectPage.css'

type ObjectPageProps = { organization: OrganizationSummary; id: number; part: string | undefined }

export function ObjectPage({ organization, id, part }: ObjectPageProps) {
  const object = useVehicle(organization.id, id)
  useTitle(object.data?.name ?? t('Vehicle'), organization.name)
  return (
    <>
      <Crumb to={`/organizations/${organization.id}/objects`}>{t('All vehicles')}</Crumb>
      {object.data === undefined && <h1 className="visually-hidden">{t('Vehicle')}</h1>}
      <Loaded query={object} lines={6}>
        {(each) => (
          <>
            <Head organization={organization} object={each} />
            <Parts key={each.id} organization={organization} object={each} part={part} />
          </>
        )}
      </Loaded>
    </>
  )
}

type PartProps = { organization: OrganizationSummary; object: FleetObject }

function Head({ organization, object }: PartProps) {
  const [address, change] = useAddress()
  const { id, name, plate_number: plate, motion, speed, time_server: updated } = object
  return (
    <div className="page-head vehicle-head">
      <div>
        <h1>
          {name} {plate !== null && plate !== name && <span className="plate">{plate}</span>}
        </h1>
        <p className="row soft">
          <MotionMark motion={motion}>
            <MotionFor object={object} />
          </MotionMark>
          {motion === 'moving' && speed !== null && (
            <span>{speedText(speed, organization.distance_unit)}</span>
          )}
          {updated === null && t('No packet yet')}
          {updated !== null && motion !== 'no_signal' && <Updated at={updated} />}
        </p>
      </div>
      <div className="row">
        {object.latitude !== null && (
          <ButtonLink to={mapHref(organization.id, id)}>
            <Icon name="pin" />
            {t('Show on map')}
          </ButtonLink>
        )}
        <Changing>
          <Button look="primary" onClick={() => change({ share: 'link' }, { replace: true })}>
            <Icon name="share" />
            {t('Share')}
          </Button>
          {address.has('share') && (
            <ShareVehicles
              organization={organization}
              objects={[id]}
              onClose={() => change({ share: null }, { replace: true })}
            />
          )}
        </Changing>
      </div>
    </div>
  )
}

function Parts({ organization, object, part }: PartProps & Pick<ObjectPageProps, 'part'>) {
  const { oversees } = useRights(organization.id)
  const rejects = useRejects(organization.id, object.id).data?.items.length ?? 0
  const base = `/organizations/${organization.id}/objects/${object.id}`
  const overview: Tab = [base, t('Overview')]
  const tabs: Tab[] = [
    overview,
    ...(oversees ? [[`${base}/settings`, t('Settings')] as const] : []),
    ...(rejects > 0
      ? [
          [
            `${base}/refusals`,
            t('Rejected packets ({{count, number}})', { count: rejects }),
          ] as const,
        ]
      : []),
  ]
  const shown = part ?? 'overview'
  if (!['overview', 'refusals', ...(oversees ? ['settings'] : [])].includes(shown)) {
    return <NotFound />
  }
  return (
    <>
      {tabs.length > 1 && <Tabs label={t('Vehicle')} items={tabs} />}
      {shown === 'overview' && <Overview organization={organization} object={object} />}
      {shown === 'settings' && <ObjectSettings organization={organization} object={object} />}
      {shown === 'refusals' && <RejectsCard organization={organization} object={object} />}
    </>
  )
}
