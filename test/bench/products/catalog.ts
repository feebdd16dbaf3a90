import type { CreateProduct, Mode } from './product.ts';

export type ProductName = 'holdfast' | 'holdfast-http' | 'pg-boss' | 'graphile-worker' | 'bullmq';

/** Where a product keeps its jobs; Redis keeps them in its append-only file, synced as told. */
export type Store = 'postgres' | 'redis-everysec' | 'redis-always';

/** One line of a result table: a product in certain settings. */
export interface Entry {
  readonly title: string;
  readonly product: ProductName;
  readonly mode: Mode;
  readonly store: Store;
  /** Roles of the Holdfast server that the run needs. */
  readonly serverRoles?: string;
}

const PEER_NAMES = ['pg-boss', 'graphile-worker', 'bullmq'] as const;

export type PeerName = (typeof PEER_NAMES)[number];

export function isPeerName(name: string): name is PeerName {
  return PEER_NAMES.some((known) => known === name);
}

export const ALL_PEERS: readonly PeerName[] = PEER_NAMES;

export function isOurs({ product }: Pick<Entry, 'product'>): boolean {
  return product === 'holdfast' || product === 'holdfast-http';
}

export const HOLDFAST: Entry = { title: 'Holdfast', product: 'holdfast', mode: 'defaults', store: 'postgres' };

/** The peers in one mode; BullMQ twice, by how its Redis syncs. */
export function peersIn(mode: Mode): readonly Entry[] {
  const note = mode === 'defaults' ? ', default settings' : '';
  return [
    { title: `pg-boss${note}`, product: 'pg-boss', mode, store: 'postgres' },
    { title: `graphile-worker${note}`, product: 'graphile-worker', mode, store: 'postgres' },
    { title: `BullMQ, fsync every second${note}`, product: 'bullmq', mode, store: 'redis-everysec' },
    { title: `BullMQ, fsync always${note}`, product: 'bullmq', mode, store: 'redis-always' },
  ];
}

/** The peers' modules find their packages in their own folder, where nobody installs them who does not run the bench. */
export async function loadProduct(name: ProductName): Promise<CreateProduct> {
  switch (name) {
    case 'holdfast':
      return (await import('./holdfast.ts')).createHoldfast;
    case 'holdfast-http':
      return (await import('./holdfast-http.ts')).createHoldfastHttp;
    case 'pg-boss':
    case 'graphile-worker':
    case 'bullmq': {
      const url = new URL(`../peers/${name}.mjs`, import.meta.url);
      return ((await import(url.href)) as { createProduct: CreateProduct }).createProduct;
    }
  }
}
