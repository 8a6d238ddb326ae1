import { useObjects } from '../../api/queries.ts'
import type { OrganizationSummary } from '../../api/types.ts'
import { t } from '../../language/text.ts'
import { PickMany } from './PickMany.tsx'

type PickObjectsProps = {
  organization: OrganizationSummary
  label?: string
  placeholder?: string
  chosen: readonly number[]
  onChange: (ids: string[]) => void
}

/** Chooses objects of an organization by name or ident. */
export function PickObjects({
  organization,
  label = t('Objects'),
  placeholder = t('All objects'),
  chosen,
  onChange,
}: PickObjectsProps) {
  const objects = useObjects(organization.id).data?.items ?? []
  return (
    <PickMany
      label={label}
      placeholder={placeholder}
      choices={objects.map(({ id, name, ident }) => ({ key: `${id}`, name, detail: ident }))}
      chosen={chosen.map(String)}
      onChange={onChange}
    />
  )
}
