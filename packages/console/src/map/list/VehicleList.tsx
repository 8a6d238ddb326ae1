import { memo, useEffect, useMemo, useRef } from 'react'
import { ListBox, ListLayout, ListStateContext, Virtualizer } from 'react-aria-components'
import { type Key, useListState } from 'react-stately'
import { useLocation } from 'wouter'
import type { OrganizationSummary } from '../../api/types.ts'
import { t } from '../../language/text.ts'
import { SearchField } from '../../ui/form/Field.tsx'
import { count } from '../../ui/format.ts'
import { MotionShape } from '../../ui/MotionShape.tsx'
import { MOTION_NAMES } from '../../ui/motion-names.ts'
import { MOTIONS, type MotionOrUnknown } from '../base/motion.ts'
import type { Names } from '../labels/names.ts'
import type { LiveFleet } from '../layer/live-fleet.ts'
import type { Places } from '../places/places.ts'
import type { Arranged } from './arrange.ts'
import { idCollection, type RowNodes } from './id-collection.tsx'
import { placeFinder } from './place-finder.ts'
import { type Listed, useArranged } from './use-listed.ts'
import { RowContext } from './VehicleRow.tsx'
import './VehicleList.css'

const ROW_PX = 56

type Props = {
  organization: OrganizationSummary
  live: LiveFleet | undefined
  names: Names
  places: Places
  listed: Listed
  selected: number | undefined
  onSelect(id: number): void
}

/** The vehicles of an organization beside the map. What its search and its filter leave out, the map leaves out too. */
export function VehicleList(props: Props) {
  const { organization, live, names, places, listed, selected, onSelect } = props
  const [, navigate] = useLocation()
  const arranged = useArranged(live, listed)
  const { sites, geofences } = places
  const placeAt = useMemo(() => placeFinder({ sites, geofences }), [sites, geofences])
  const shared = useMemo(
    () => ({
      organization: organization.id,
      unit: organization.distance_unit,
      live,
      names,
      placeAt,
      onOpen: (id: number) => navigate(`/organizations/${organization.id}/objects/${id}`),
    }),
    [organization.id, organization.distance_unit, live, names, placeAt, navigate],
  )
  return (
    <section className="vehicles" aria-label={t('Vehicles')}>
      <div className="vehicles-head">
        <SearchField
          label={t('Search by name, ident or plate')}
          value={listed.typed}
          onChange={listed.search}
        />
        <MotionFilter {...listed} {...arranged} />
        <Status {...listed} {...arranged} />
      </div>
      <RowContext value={shared}>
        <Rows ids={arranged.ids} selected={selected} onSelect={onSelect} />
      </RowContext>
    </section>
  )
}

type RowsProps = Pick<Arranged, 'ids'> & Pick<Props, 'selected' | 'onSelect'>

/** Rendered when other vehicles are listed, not each second. */
const Rows = memo(function Rows({ ids, selected, onSelect }: RowsProps) {
  const frame = useRef<HTMLDivElement>(null)
  const nodes = useRef<RowNodes>(new Map())
  const collection = useMemo(() => idCollection(ids, nodes.current), [ids])
  const state = useListState({
    collection,
    selectionMode: 'single',
    selectedKeys: selected === undefined ? [] : [selected],
    onSelectionChange: (keys) => {
      // Another press on the selected row brings the map back to it.
      const [key = selected] = keys as Set<Key>
      if (key !== undefined) onSelect(Number(key))
    },
  })
  useSelectedInSight(frame, ids, selected)
  return (
    <Virtualizer layout={ListLayout} layoutOptions={{ rowSize: ROW_PX }}>
      <ListStateContext value={state}>
        <ListBox ref={frame} className="vehicles-rows" aria-label={t('Vehicles')} />
      </ListStateContext>
    </Virtualizer>
  )
})

/** Scrolls to the row of a vehicle that was selected elsewhere. */
function useSelectedInSight(
  frame: React.RefObject<HTMLDivElement | null>,
  ids: Arranged['ids'],
  selected: number | undefined,
): void {
  const latest = useRef(ids)
  latest.current = ids
  const isListed = ids.length > 0
  useEffect(() => {
    const element = frame.current
    const top = selected === undefined ? -1 : latest.current.indexOf(selected) * ROW_PX
    if (element === null || top < 0 || !isListed) return
    const { scrollTop, clientHeight } = element
    if (top >= scrollTop && top + ROW_PX <= scrollTop + clientHeight) return
    element.scrollTop = top - (clientHeight - ROW_PX) / 2
  }, [frame, selected, isListed])
}

type HeadProps = Listed & ReturnType<typeof useArranged>

function MotionFilter({ counts, chosen, choose, hasAll }: HeadProps) {
  const motions = MOTIONS.filter((motion, code) => motion !== 'unknown' || counts[code]! > 0)
  const toggle = (motion: MotionOrUnknown) =>
    choose(chosen.includes(motion) ? chosen.filter((each) => each !== motion) : [...chosen, motion])
  return (
    <fieldset className="vehicles-filter">
      <legend className="fleetmap-hidden">{t('Show only')}</legend>
      {motions.map((motion) => (
        <button
          key={motion}
          type="button"
          aria-pressed={chosen.includes(motion)}
          onClick={() => toggle(motion)}
        >
          <MotionShape motion={motion} />
          <strong>{hasAll ? count(counts[MOTIONS.indexOf(motion)]!) : '…'}</strong>
          <span>{MOTION_NAMES[motion]}</span>
        </button>
      ))}
    </fieldset>
  )
}

function Status({ ids, counts, hasAll, ...listed }: HeadProps) {
  const { typed, chosen, problem, retry, showAll } = listed
  const isLoading = listed.isLoading || (!hasAll && chosen.length > 0)
  const matching = counts.reduce((sum, each) => sum + each, 0)
  const isNarrowed = typed !== '' || chosen.length > 0
  if (problem !== null) {
    return (
      <div role="alert" className="fleetmap-problem">
        <p>{problem}</p>
        <button type="button" onClick={retry}>
          {t('Try again')}
        </button>
      </div>
    )
  }
  return (
    <p className="vehicles-status" role="status">
      {isLoading && t('Loading vehicles…')}
      {!isLoading && !isNarrowed && matching === 0 && t('There are no vehicles yet.')}
      {!isLoading && isNarrowed && (
        <>
          {ids.length === 0
            ? t('No vehicle matches.')
            : t('{{count, number}} vehicles', { count: ids.length })}{' '}
          <button type="button" className="vehicles-all" onClick={showAll}>
            {t('Show all')}
          </button>
        </>
      )}
    </p>
  )
}
