import { useState } from 'react'
import {
  type GivenSource,
  type Source,
  sourceOf,
} from '../../../server/src/base/domain/attributes/attribute-source.ts'
import type { OrganizationSummary } from '../api/types.ts'
import { t } from '../language/text.ts'
import { Button } from '../ui/Button.tsx'
import { NumberField, TextField } from '../ui/form/Field.tsx'
import { PickObjects } from '../ui/form/PickObjects.tsx'
import type { FieldsProps } from './AttributeForm.tsx'

type SourcesFieldsProps = FieldsProps & { organization: OrganizationSummary }

/** Sources with settings of their own come first, because they are for some objects. */
export function SourcesFields({ entry, set, faultOf, organization }: SourcesFieldsProps) {
  const own = entry.sources.filter((each) => typeof each !== 'string')
  const plain = entry.sources.filter((each) => typeof each === 'string')
  const [names, setNames] = useState(() => plain.join(', '))
  const setOwn = (next: readonly Source[]) => set({ sources: [...next, ...plain] })
  return (
    <>
      <TextField
        label={t('Sources')}
        name="sources"
        autoComplete="off"
        spellCheck={false}
        value={names}
        onChange={(text) => {
          setNames(text)
          set({ sources: [...own, ...namesIn(text)] })
        }}
        help={t(
          'Names that devices use for this value, separated by commas. The first name with a value is used.',
        )}
        fault={faultOf('sources')}
      />
      {own.map((source, index) => (
        <OwnSource
          // biome-ignore lint/suspicious/noArrayIndexKey: a source has nothing else that stays
          key={index}
          organization={organization}
          source={source}
          onChange={(next) => setOwn(own.with(index, next))}
          onRemove={() => setOwn(own.toSpliced(index, 1))}
        />
      ))}
      <div className="row">
        <Button small look="quiet" onClick={() => setOwn([...own, { name: plain[0] ?? '' }])}>
          {t('Add a source with its own scale')}
        </Button>
      </div>
    </>
  )
}

function namesIn(text: string): GivenSource[] {
  const names = text.split(',').map((name) => name.trim())
  return [...new Set(names.filter((name) => name !== ''))]
}

type OwnSourceProps = {
  organization: OrganizationSummary
  source: Source
  onChange: (source: Source) => void
  onRemove: () => void
}

function OwnSource({ organization, source, onChange, onRemove }: OwnSourceProps) {
  const { name, scale, offset, table, objects, capacity } = source
  const [points, setPoints] = useState(() => (table ?? []).map((each) => each.join(':')).join(', '))
  const set = (part: { [Key in keyof Source]?: Source[Key] | null }) => {
    const all = Object.entries({ ...source, ...part }).filter(([, value]) => value != null)
    onChange(sourceOf(Object.fromEntries(all) as Source))
  }
  return (
    <fieldset className="stack-small">
      <legend>{t('Source with its own settings')}</legend>
      <div className="columns">
        <TextField
          label={t('Name sent by the device')}
          value={name}
          onChange={(next) => set({ name: next })}
        />
        <NumberField
          label={t('Source scale')}
          value={scale ?? null}
          onChange={(next) => set({ scale: next })}
        />
        <NumberField
          label={t('Source offset')}
          value={offset ?? null}
          onChange={(next) => set({ offset: next })}
        />
        <NumberField
          label={t('Capacity')}
          value={capacity ?? null}
          onChange={(next) => set({ capacity: next })}
          help={t('Higher values are discarded.')}
        />
      </div>
      <TextField
        label={t('Calibration table')}
        value={points}
        onChange={(text) => {
          setPoints(text)
          set({ table: pointsIn(text) })
        }}
        help={t(
          'Replaces scale and offset. Enter pairs of sent and shown values, such as 0.5:0, 4.5:400.',
        )}
      />
      <PickObjects
        organization={organization}
        label={t('Objects')}
        placeholder={t('All objects')}
        chosen={[...(objects ?? [])]}
        onChange={(ids) => set({ objects: ids.length === 0 ? null : ids.map(Number) })}
      />
      <div className="row">
        <Button small look="quiet" onClick={onRemove}>
          {t('Remove this source')}
        </Button>
      </div>
    </fieldset>
  )
}

function pointsIn(text: string): Source['table'] | null {
  if (text.trim() === '') return null
  return text.split(',').map((point) => {
    const [sent, shown] = point.split(':')
    return [Number(sent), shown === undefined ? Number.NaN : Number(shown)] as const
  })
}
