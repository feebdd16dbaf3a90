import { type LookupAddress, lookup as systemLookup } from 'node:dns';
import { BlockList, isIP, isIPv4, type LookupFunction } from 'node:net';
import { JobError } from '../job-error.ts';

/** Every IPv4 range that is not the public internet: this host, private, shared, link-local (metadata), tests, multicast. */
const NOT_PUBLIC_4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

/** Only 2000::/3 is public at all; these parts of it are not, or carry an IPv4 address of any kind within. */
const NOT_PUBLIC_6: readonly (readonly [string, number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
];

const notPublic4 = blockList(NOT_PUBLIC_4, 'ipv4');
const notPublic6 = blockList(NOT_PUBLIC_6, 'ipv6');
const unicast6 = blockList([['2000::', 3]], 'ipv6');

/** Resolves a name to all its addresses, as `dns.lookup` does with `all: true`. */
export type ResolveAll = (
  hostname: string,
  options: { family: number; all: true },
  callback: (error: Error | null, addresses: LookupAddress[]) => void,
) => void;

export interface AddressGuard {
  /** @throws JobError with code `address-refused` for a literal address; names are judged when they are resolved. */
  checkHost(hostname: string): void;
  /** For `http.request`: judges every address of a name at the moment it is connected to, so no later answer slips by. */
  readonly lookup: LookupFunction;
}

/**
 * Keeps jobs from calling into the network that the worker lives in.
 * @param allowed - Host names and addresses that may be called wherever they are.
 */
export function createAddressGuard(allowed: readonly string[], resolve: ResolveAll = systemLookup): AddressGuard {
  const allowedHosts = new Set(allowed.map(plainHost));
  return {
    checkHost(hostname) {
      const host = plainHost(hostname);
      if (isIP(host) !== 0 && !allowedHosts.has(host) && !isPublicAddress(host)) throw refusal(hostname, host);
    },
    lookup(hostname, options, callback) {
      resolve(hostname, { family: familyOf(options.family), all: true }, (error, addresses) => {
        if (error) return callback(error, []);
        const bad = allowedHosts.has(plainHost(hostname))
          ? undefined
          : addresses.find((found) => !isPublicAddress(found.address));
        if (bad) return callback(refusal(hostname, bad.address) as Error, []);
        const [first] = addresses;
        if (!first) return callback(new Error(`${hostname} has no address`), []);
        if (options.all) callback(null, addresses);
        else callback(null, first.address, first.family);
      });
    },
  };
}

/** Whether an address literal belongs to the public internet. */
export function isPublicAddress(address: string): boolean {
  const [plain = ''] = address.split('%');
  if (isIPv4(plain)) return !notPublic4.check(plain, 'ipv4');
  return unicast6.check(plain, 'ipv6') && !notPublic6.check(plain, 'ipv6');
}

function refusal(hostname: string, address: string): JobError {
  const where = hostname === address ? address : `${hostname} (${address})`;
  return new JobError(
    `${where} is not a public address; HOLDFAST_HTTP_ALLOW names the hosts in private networks that may be called`,
    { code: 'address-refused', retryable: false },
  );
}

function plainHost(hostname: string): string {
  return hostname
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');
}

function familyOf(family: number | 'IPv4' | 'IPv6' | undefined): number {
  if (family === 'IPv4') return 4;
  if (family === 'IPv6') return 6;
  return family ?? 0;
}

function blockList(subnets: readonly (readonly [string, number])[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of subnets) list.addSubnet(network, prefix, family);
  return list;
}
