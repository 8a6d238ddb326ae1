import { useState } from 'react'
import {
  ATTRIBUTE_RULES,
  type AttributeEntry,
  holdsOf,
  NO_LEVEL,
} from '../../../server/src/base/domain/attributes/attribute-catalogue.ts'
import { entryFor, noneAfter } from '../../../server/src/base/domain/attributes/known-names.ts'
import { valueOfText } from '../../../server/src/base/domain/position/attribute.ts'
import { change } from '../api/client.ts'
import type { Attribute, AttributePatch, OrganizationSummary, SentName } from '../api/types.ts'
import { said } from '../language/said.ts'
import { t } from '../language/text.ts'
import { FormDialog } from '../ui/dialog/FormDialog.tsx'
import { CheckField, NumberField, optionsOf, SelectField, TextField } from '../ui/form/Field.tsx'
import { useSaving } from '../ui/form/use-saving.ts'
import { AttributePreview } from './AttributePreview.tsx'
import { entryOf, TYPE_NAMES } from './attribute-texts.ts'
import { SourcesFields } from './SourcesFields.tsx'

type AttributeFormProps = {
  organization: OrganizationSummary
  /** The attribute to change. Absent: a new one. */
  attribute?: Attribute
  /** The name of devices that a new one shows. */
  source?: string | undefined
  sent: readonly SentName[]
  onClose: () => void
}

/** The entry that the form begins with. */
function initial({ attribute, source, sent }: AttributeFormProps): AttributeEntry {
  if (attribute !== undefined) return entryOf(attribute)
  const { value = null } = sent.find(({ name }) => name === source) ?? {}
  const entry = entryFor(source ?? '', value === null ? [] : [value])
  return source === undefined ? { ...entry, name: '', label: '', sources: [] } : entry
}

function bodyOf({
  endsWithIgnition,
  isCounter,
  maximumRate,
  isLevel,
  isPublic,
  sources,
  none,
  ...rest
}: AttributeEntry): AttributePatch {
  const lists = { sources: [...sources] as AttributePatch['sources'], none: none && [...none] }
  return {
    ...rest,
    ...lists,
    ends_with_ignition: endsWithIgnition,
    is_counter: isCounter,
    maximum_rate: maximumRate,
    is_level: isLevel,
    is_public: isPublic,
  }
}

export function AttributeForm(props: AttributeFormProps) {
  const { organization, attribute, sent, onClose } = props
  const [entry, setEntry] = useState(() => initial(props))
  const set = (part: Partial<AttributeEntry>) => setEntry((before) => ({ ...before, ...part }))
  const save = useSaving({
    request: () => change('PATCH', `/organizations/${organization.id}/attributes`, bodyOf(entry)),
    refreshes: [['organization', organization.id]],
    done: t('{{label}} was saved.', { label: entry.label }),
    onSaved: onClose,
  })
  const faultOf: FieldsProps['faultOf'] = (name) =>
    !ATTRIBUTE_RULES[name].holds(entry[name])
      ? t('Must be {{says}}.', { says: said(ATTRIBUTE_RULES[name].says) })
      : undefined
  const isComplete = Object.entries(ATTRIBUTE_RULES).every(([key, rule]) =>
    rule.holds(entry[key as keyof AttributeEntry]),
  )
  const fields = { entry, set, faultOf }
  return (
    <FormDialog
      title={
        attribute === undefined
          ? t('New attribute')
          : t('Change {{label}}', { label: attribute.label })
      }
      action={t('Save attribute')}
      saving={save}
      isReady={isComplete}
      rules={ATTRIBUTE_RULES}
      fields={['sources']}
      onSubmit={save.mutate}
      wide
      onClose={onClose}
    >
      <NameFields {...fields} isNew={attribute === undefined} />
      <SourcesFields {...fields} organization={organization} />
      <ValueFields {...fields} />
      <CheckField
        label={t('Public')}
        value={entry.isPublic}
        onChange={(isPublic) => set({ isPublic })}
        help={t('Visible to API keys.')}
      />
      <AttributePreview organization={organization} entry={entry} sent={sent} />
    </FormDialog>
  )
}

export type FieldsProps = {
  entry: AttributeEntry
  set: (part: Partial<AttributeEntry>) => void
  faultOf: (
    name: 'name' | 'label' | 'scale' | 'sources' | 'none' | 'holds' | 'smoothing',
  ) => string | undefined
}

function NameFields({ entry, set, faultOf, isNew }: FieldsProps & { isNew: boolean }) {
  return (
    <div className="columns">
      <TextField
        label={t('Label')}
        name="label"
        value={entry.label}
        onChange={(label) => set({ label })}
        help={t('The name shown to people.')}
        fault={faultOf('label')}
      />
      {isNew && (
        <TextField
          label={t('Name')}
          name="name"
          autoComplete="off"
          spellCheck={false}
          value={entry.name}
          onChange={(name) => set({ name })}
          help={t('The name in API responses. It cannot be changed.')}
          fault={faultOf('name')}
        />
      )}
    </div>
  )
}

/** Settings that only numbers have. */
const NO_NUMBER = {
  ...{ isCounter: false, maximumRate: null, minimum: null, maximum: null },
  ...NO_LEVEL,
}

/** The type, and how answers show a value of it. */
function ValueFields({ entry, set, faultOf }: FieldsProps) {
  const isNumber = entry.type === 'number'
  const setScale = (part: Partial<AttributeEntry>) =>
    set({ ...part, none: noneAfter(entry, { ...entry, ...part }) })
  return (
    <>
      <div className="columns">
        <SelectField
          label={t('Type')}
          name="type"
          options={optionsOf(TYPE_NAMES)}
          value={entry.type}
          onChange={(type) =>
            set({ type, holds: holdsOf(type), ...(type !== 'number' && NO_NUMBER) })
          }
        />
        <TextField
          label={t('Unit')}
          name="unit"
          placeholder="–"
          value={entry.unit ?? ''}
          onChange={(unit) => set({ unit: unit === '' ? null : unit })}
        />
        {isNumber && (
          <NumberField
            label={t('Decimals')}
            name="decimals"
            value={entry.decimals}
            onChange={(decimals) => set({ decimals: decimals ?? 0 })}
          />
        )}
        {entry.type !== 'text' && (
          <>
            <NumberField
              label={t('Scale')}
              name="scale"
              value={entry.scale}
              onChange={(scale) => setScale({ scale: scale ?? 1 })}
              help={t('Multiplies the value from the device.')}
              fault={faultOf('scale')}
            />
            <NumberField
              label={t('Offset')}
              name="offset"
              value={entry.offset}
              onChange={(offset) => setScale({ offset: offset ?? 0 })}
              help={t(
                'Added after scaling. To invert a yes/no value, use a scale of -1 and an offset of 1.',
              )}
            />
          </>
        )}
        {isNumber && (
          <>
            <NumberField
              label={t('Minimum')}
              name="minimum"
              value={entry.minimum}
              onChange={(minimum) => set({ minimum })}
              help={t('Lower values are discarded. Leave empty for no limit.')}
            />
            <NumberField
              label={t('Maximum')}
              name="maximum"
              value={entry.maximum}
              onChange={(maximum) => set({ maximum })}
              help={t('Higher values are discarded. Leave empty for no limit.')}
            />
          </>
        )}
      </div>
      <NoneField {...{ entry, set, faultOf }} />
      <NumberField
        label={t('Valid for (hours)')}
        name="holds"
        value={entry.holds}
        onChange={(holds) => set({ holds })}
        help={t('How long a value counts as current. Leave empty for no limit.')}
        fault={faultOf('holds')}
      />
      <CheckField
        label={t('Clear when parked')}
        value={entry.endsWithIgnition}
        onChange={(endsWithIgnition) => set({ endsWithIgnition })}
        help={t(
          'The value, such as a driver, is cleared when the vehicle is parked with the ignition off.',
        )}
      />
      {isNumber && (
        <CheckField
          label={t('Counter')}
          value={entry.isCounter}
          onChange={(isCounter) => set({ isCounter, maximumRate: null, ...NO_LEVEL })}
          help={t('A number that only rises, such as fuel used. Trips and days show the increase.')}
        />
      )}
      {entry.isCounter && (
        <NumberField
          label={t('Maximum rate')}
          name="maximum_rate"
          value={entry.maximumRate}
          onChange={(maximumRate) => set({ maximumRate })}
          help={t(
            'The largest plausible rise per hour. A faster rise counts as an error. Leave empty to check only for drops.',
          )}
        />
      )}
      {isNumber && <LevelFields {...{ entry, set, faultOf }} />}
    </>
  )
}

/** Whether the number is a level, and how it is read then. */
function LevelFields({ entry, set, faultOf }: FieldsProps) {
  return (
    <>
      <CheckField
        label={t('Tank level')}
        value={entry.isLevel}
        onChange={(isLevel) =>
          set({ ...NO_LEVEL, isLevel, ...(isLevel && { isCounter: false, maximumRate: null }) })
        }
        help={t('The contents of a tank that is filled and drained, such as fuel.')}
      />
      {entry.isLevel && (
        <div className="columns">
          <NumberField
            label={t('Threshold')}
            name="threshold"
            value={entry.threshold}
            onChange={(threshold) => set({ threshold })}
            help={t(
              'A larger rise counts as a fill, a larger drop as a drain. Leave empty for 5% of the capacity, or 10 if no capacity is set.',
            )}
          />
          <NumberField
            label={t('Smoothing (seconds)')}
            name="smoothing"
            value={entry.smoothing}
            onChange={(smoothing) => set({ smoothing: smoothing ?? 0 })}
            help={t('Each value is smoothed over this time before and after it.')}
            fault={faultOf('smoothing')}
          />
        </div>
      )}
    </>
  )
}

/** The values that mean none. Two commas around nothing are an empty text. */
function NoneField({ entry, set, faultOf }: FieldsProps) {
  const [typed, setText] = useState<string | null>(null)
  const text = typed ?? (entry.none ?? []).join(', ')
  return (
    <TextField
      label={t('Error values')}
      name="none"
      autoComplete="off"
      spellCheck={false}
      value={text}
      onChange={(next) => {
        setText(next)
        const values = next.split(',').map((each) => valueOfText(each.trim()))
        set({ none: next.trim() === '' ? null : (values as (number | string)[]) })
      }}
      help={t(
        'Values that the device sends when it has no reading, separated by commas, such as 85, -127. End with a comma to include empty text.',
      )}
      fault={faultOf('none')}
    />
  )
}
