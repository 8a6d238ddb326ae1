import { useMemo } from 'react'
import { useObjects } from '../../api/queries.ts'
import type { OrganizationSummary } from '../../api/types.ts'
import { t } from '../../language/text.ts'
import { AllOrSome } from './ChosenFields.tsx'
import { useTried } from './Form.tsx'
import { PickMany } from './PickMany.tsx'

type PickObjectsProps = {
  organization: OrganizationSummary
  label?: string
  placeholder?: string
  chosen: readonly number[]
  onChange: (ids: string[]) => void
  /** As `fault` of a field. */
  fault?: string | false
}

type AllOrSomeObjectsProps = {
  organization: OrganizationSummary
  name: string
  fault: string | false | undefined
  /** Null: all. */
  chosen: readonly number[] | null
  onChange: (ids: number[] | null) => void
}

/** A limit to chosen vehicles. */
export function AllOrSomeObjects({ organization, onChange, ...field }: AllOrSomeObjectsProps) {
  return (
    <AllOrSome {...field} label={t('Vehicles')} onChange={onChange}>
      {(chosen) => (
        <PickObjects
          organization={organization}
          label={t('Selected vehicles')}
          placeholder={t('Search by name or ident')}
          chosen={chosen}
          onChange={(ids) => onChange(ids.map(Number))}
        />
      )}
    </AllOrSome>
  )
}

/** Chooses vehicles of an organization by name or ident. */
export function PickObjects({
  organization,
  label = t('Vehicles'),
  placeholder = t('All vehicles'),
  chosen,
  onChange,
  fault = false,
}: PickObjectsProps) {
  const tried = useTried()
  const objects = useObjects(organization.id).data?.items
  const choices = useMemo(
    () => (objects ?? []).map(({ id, name, ident }) => ({ key: `${id}`, name, detail: ident })),
    [objects],
  )
  return (
    <PickMany
      label={label}
      placeholder={placeholder}
      choices={choices}
      chosen={chosen.map(String)}
      onChange={onChange}
      error={tried && fault !== false ? fault : undefined}
    />
  )
}
