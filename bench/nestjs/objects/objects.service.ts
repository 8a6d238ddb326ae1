import { Injectable } from '@nestjs/common'
import { InjectRepository } from '@nestjs/typeorm'
import { Repository } from 'typeorm'
import type { Organization } from '../auth/organization.entity.ts'
import { objectNotFound } from '../refusal.ts'
import { UsageService } from '../usage/usage.service.ts'
import { type ObjectDetailDto, type ObjectDto, toObjectDetail } from './object.dto.ts'
import { TrackedObject } from './tracked-object.entity.ts'

/** As they are answered, so that a long list is sent as it is read, and no entity is made of a row. */
const COLUMNS = [
  'id',
  'name',
  'ident',
  'time_server',
  'time_device',
  'time_last_idle',
  'time_last_move',
  'time_last_stop',
  'engine_hours',
  'engine_hours_type',
  'odometer',
  'odometer_type',
  "json_build_object('vin', vin, 'plate_number', plate_number) AS vehicle_data",
  'mileage',
  'address',
  'accuracy',
  'created_at',
]

@Injectable()
export class ObjectsService {
  constructor(
    @InjectRepository(TrackedObject) private readonly objects: Repository<TrackedObject>,
    private readonly usage: UsageService,
  ) {}

  list(organization: Organization): Promise<ObjectDto[]> {
    return this.objects
      .createQueryBuilder('object')
      .select(COLUMNS)
      .where('object.organizationId = :organization', { organization: organization.id })
      .orderBy('object.id')
      .getRawMany()
  }

  async detail(organization: Organization, id: number): Promise<ObjectDetailDto> {
    const object = await this.objects.findOneBy({ id, organizationId: organization.id })
    if (object === null) throw objectNotFound()
    this.usage.count(id)
    return toObjectDetail(object)
  }
}
