package text

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/bits"
	"strings"
)

// Hash identifies a text by its bytes alone: it does not depend on how the text came about or is divided into chunks,
// and is the same in every process, on every machine and in every version of this program, so it may be stored.
//
// It holds, big-endian, two polynomials over the bytes of the text, modulo 2^61-1:
//
//	h(b) = sum of (b[i]+1) * base^(n-1-i)    with the bases base1 and base2
//
// The chance that two different texts meet by accident is far below that of a broken disk. It does not withstand
// someone who searches for a collision; Equal does.
type Hash [16]byte

// Published constants: stored hashes depend on them.
const (
	mersenne = 1<<61 - 1
	base1    = 0x0f3a_91c5_7d26_4be9
	base2    = 0x1b74_e02d_58a3_c617
)

// HashString returns the hash of a text that reads s: New(s).Hash(), at less cost.
func HashString(s string) Hash { return digestOf(s).hash() }

// Hash returns the hash of t. Parts are remembered: the first call on a text reads all of it, and the first call on a
// text made from that by an edit reads what Replace had to copy.
func (t Text) Hash() Hash {
	if t.root == nil {
		return Hash{}
	}
	return t.root.digestTree().hash()
}

// HashRows returns the hash that t would have if each of its terminators were "\n": two texts that differ only in the
// kind of their line ends have the same. Parts are remembered as for Hash.
func (t Text) HashRows() Hash {
	if t.root == nil {
		return Hash{}
	}
	return t.root.rowsDigestTree().hash()
}

// String returns h in 32 hexadecimal digits.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// MarshalText implements encoding.TextMarshaler, in the form of String.
func (h Hash) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, h[:]), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (h *Hash) UnmarshalText(b []byte) error {
	if len(b) != 2*len(h) {
		return fmt.Errorf("text hash %q: want %d hexadecimal digits", b, 2*len(h))
	}
	if _, err := hex.Decode(h[:], b); err != nil {
		return fmt.Errorf("text hash %q: %w", b, err)
	}
	return nil
}

// digest is a hash in the form that can be composed: the polynomials of a stretch of text, and the bases to the power
// of its length.
type digest struct{ h1, h2, p1, p2 uint64 }

func (d digest) hash() (h Hash) {
	binary.BigEndian.PutUint64(h[:8], d.h1)
	binary.BigEndian.PutUint64(h[8:], d.h2)
	return h
}

// then returns the digest of two stretches in a row.
func (d digest) then(e digest) digest {
	return digest{
		h1: mulAdd(d.h1, e.p1, 0, e.h1), p1: mulAdd(d.p1, e.p1, 0, 0),
		h2: mulAdd(d.h2, e.p2, 0, e.h2), p2: mulAdd(d.p2, e.p2, 0, 0),
	}
}

// digestTree returns the digest of n, which it keeps. Two goroutines that come at the same time store the same.
func (n *node) digestTree() digest {
	if d := n.digest.Load(); d != nil {
		return *d
	}
	var d digest
	if n.leaf() {
		d = digestOf(n.chunk)
	} else {
		d = n.left.digestTree().then(n.right.digestTree())
	}
	n.digest.Store(&d)
	return d
}

// rowsDigestTree is digestTree for HashRows. That no border divides a CRLF pair makes it composable.
func (n *node) rowsDigestTree() digest {
	if d := n.rowsDigest.Load(); d != nil {
		return *d
	}
	var d digest
	switch {
	case !n.leaf():
		d = n.left.rowsDigestTree().then(n.right.rowsDigestTree())
	case strings.IndexByte(n.chunk, '\r') < 0:
		d = n.digestTree()
	default:
		d = digestOf(lineFeeds.Replace(n.chunk))
	}
	n.rowsDigest.Store(&d)
	return d
}

var lineFeeds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// mulAdd returns a*b + hi*2^64 + lo modulo 2^61-1. a and b are reduced, hi is below 2^58.
func mulAdd(a, b, hi, lo uint64) uint64 {
	h, l := bits.Mul64(a, b)
	l, carry := bits.Add64(l, lo, 0)
	h += hi + carry
	x := l&mersenne + (l>>61 | h<<3)
	x = x&mersenne + x>>61
	if x >= mersenne {
		x -= mersenne
	}
	return x
}

// powers[k] is base^(k+1).
type powers [8]uint64

func powersOf(base uint64) (p powers) {
	p[0] = base
	for k := 1; k < len(p); k++ {
		p[k] = mulAdd(p[k-1], base, 0, 0)
	}
	return p
}

var (
	powers1 = powersOf(base1)
	powers2 = powersOf(base2)
)

func digestOf(s string) digest {
	d := digest{p1: power(base1, len(s)), p2: power(base2, len(s))}
	p, q := &powers1, &powers2
	for ; len(s) >= 8; s = s[8:] {
		// One reduction for eight bytes: the products, each below 2^70, are summed first.
		c0, c1, c2, c3 := uint64(s[0])+1, uint64(s[1])+1, uint64(s[2])+1, uint64(s[3])+1
		c4, c5, c6, c7 := uint64(s[4])+1, uint64(s[5])+1, uint64(s[6])+1, uint64(s[7])+1
		hi, lo := sum8(c0, c1, c2, c3, c4, c5, c6, c7, p)
		d.h1 = mulAdd(d.h1, p[7], hi, lo)
		hi, lo = sum8(c0, c1, c2, c3, c4, c5, c6, c7, q)
		d.h2 = mulAdd(d.h2, q[7], hi, lo)
	}
	for i := range len(s) {
		d.h1 = mulAdd(d.h1, base1, 0, uint64(s[i])+1)
		d.h2 = mulAdd(d.h2, base2, 0, uint64(s[i])+1)
	}
	return d
}

// sum8 returns c0*base^7 + c1*base^6 + ... + c7, unreduced, below 2^73.
func sum8(c0, c1, c2, c3, c4, c5, c6, c7 uint64, p *powers) (hi, lo uint64) {
	var h, l, c uint64
	hi, lo = bits.Mul64(c0, p[6])
	h, l = bits.Mul64(c1, p[5])
	lo, c = bits.Add64(lo, l, 0)
	hi += h + c
	h, l = bits.Mul64(c2, p[4])
	lo, c = bits.Add64(lo, l, 0)
	hi += h + c
	h, l = bits.Mul64(c3, p[3])
	lo, c = bits.Add64(lo, l, 0)
	hi += h + c
	h, l = bits.Mul64(c4, p[2])
	lo, c = bits.Add64(lo, l, 0)
	hi += h + c
	h, l = bits.Mul64(c5, p[1])
	lo, c = bits.Add64(lo, l, 0)
	hi += h + c
	h, l = bits.Mul64(c6, p[0])
	lo, c = bits.Add64(lo, l, 0)
	hi += h + c
	lo, c = bits.Add64(lo, c7, 0)
	return hi + c, lo
}

// power returns base^n modulo 2^61-1.
func power(base uint64, n int) uint64 {
	result := uint64(1)
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			result = mulAdd(result, base, 0, 0)
		}
		base = mulAdd(base, base, 0, 0)
	}
	return result
}
