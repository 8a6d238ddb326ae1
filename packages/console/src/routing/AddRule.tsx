import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ROUTING_RULE_RULES } from '../../../server/src/base/domain/routing.ts'
import { change } from '../api/client.ts'
import type { NewRoutingRule, RoutingRule } from '../api/types.ts'
import { Dialog, SubmitOrCancel } from '../ui/dialog/Dialog.tsx'
import { toast } from '../ui/dialog/Toast.tsx'
import { CheckField, optionsOf, SelectField, TextArea, TextField } from '../ui/form/Field.tsx'
import { Form } from '../ui/form/Form.tsx'
import { PickOrganizations } from './PickOrganizations.tsx'
import { type Condition, conditionInWords } from './words.ts'

const CONDITIONS = optionsOf<Condition>({
  prefix: 'The beginning of the ident',
  ident: 'The ident',
  group: 'The group of the device',
  attribute: 'An attribute',
})

const HELP: Record<Condition, string> = {
  prefix: 'Such as 86430, for all idents that begin with it.',
  ident: 'A list of idents.',
  group:
    'Traccar sends the number of the group, not its name. A program in between may add the name.',
  attribute: 'An attribute of the position, of the device, or a field of the device.',
}

/** `rules`: those before which the new one can be put. */
export function AddRule({ rules, onClose }: { rules: RoutingRule[]; onClose: () => void }) {
  const [condition, setCondition] = useState<Condition>('prefix')
  const [attribute, setAttribute] = useState('')
  const [values, setValues] = useState('')
  const [chosen, setChosen] = useState<string[]>([])
  const [createsObjects, setCreatesObjects] = useState(true)
  const [before, setBefore] = useState('')
  const [tried, setTried] = useState(false)
  const add = useAddRule(onClose)
  const anyOf = linesOf(values)
  const isOfAttribute = condition === 'attribute'
  const isUnnamed = isOfAttribute && attribute.trim() === ''
  return (
    <Dialog title="Add a rule" onClose={onClose}>
      <Form
        error={add.error}
        rules={ROUTING_RULE_RULES}
        fields={['any_of', 'before']}
        onSubmit={() => {
          setTried(true)
          if (isUnnamed || anyOf.length === 0 || chosen.length === 0 || add.isPending) return
          add.mutate({
            condition,
            attribute: isOfAttribute ? attribute.trim() : null,
            any_of: anyOf,
            organizations: chosen.map(Number),
            create_objects: createsObjects,
            before: before === '' ? null : Number(before),
          })
        }}
      >
        <ConditionFields
          condition={condition}
          onCondition={setCondition}
          attribute={attribute}
          onAttribute={setAttribute}
          error={tried && isUnnamed ? 'Enter the name of the attribute.' : undefined}
        />
        <TextArea
          label="With any of these"
          name="any_of"
          value={values}
          onChange={setValues}
          help="One in each line."
          error={tried && anyOf.length === 0 ? 'Enter at least one.' : undefined}
        />
        <PickOrganizations chosen={chosen} onChange={setChosen} tried={tried} />
        <CheckField
          label="Create an object for each ident"
          name="create_objects"
          value={createsObjects}
          onChange={setCreatesObjects}
          help="Otherwise the organization lists it as a tracker without an object, until somebody creates the object."
        />
        {rules.length > 0 && <BeforeField rules={rules} before={before} onChange={setBefore} />}
        <SubmitOrCancel action="Add rule" isBusy={add.isPending} onCancel={onClose} />
      </Form>
    </Dialog>
  )
}

function useAddRule(onAdded: () => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: NewRoutingRule) => change<RoutingRule>('POST', '/routing/rules', body),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['routing'] })
      toast('The rule was added.')
      onAdded()
    },
  })
}

type ConditionFieldsProps = {
  condition: Condition
  onCondition: (condition: Condition) => void
  attribute: string
  onAttribute: (name: string) => void
  error: string | undefined
}

function ConditionFields(props: ConditionFieldsProps) {
  const { condition, onCondition, attribute, onAttribute, error } = props
  return (
    <>
      <SelectField
        label="Compare"
        name="condition"
        options={CONDITIONS}
        value={condition}
        onChange={onCondition}
        help={HELP[condition]}
      />
      {condition === 'attribute' && (
        <TextField
          label="Name of the attribute"
          name="attribute"
          spellCheck={false}
          value={attribute}
          onChange={onAttribute}
          error={error}
        />
      )}
    </>
  )
}

type BeforeFieldProps = {
  rules: RoutingRule[]
  /** The id of a rule. Empty: after all others. */
  before: string
  onChange: (before: string) => void
}

function BeforeField({ rules, before, onChange }: BeforeFieldProps) {
  return (
    <SelectField
      label="Place"
      name="before"
      options={[
        ['', 'After all others'],
        ...rules.map(
          (rule, at) => [String(rule.id), `Before ${at + 1}. ${conditionInWords(rule)}`] as const,
        ),
      ]}
      value={before}
      onChange={onChange}
    />
  )
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}
