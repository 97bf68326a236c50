package review

import "testing"

// What the user types in rows of an agent that has filled a paragraph anew.
func TestWordsAmongLeftOnes(t *testing.T) {
	const orig = "top|one two three four|five six seven eight|nine ten|end|"
	filled := func(s *script) {
		s.a("c1", "top|one two three BIG four|five six seven|eight nine ten|end|")
		s.wait()
	}
	runCases(t, []ruleCase{
		{"between two that are left", orig, func(s *script) {
			filled(s)
			s.u("top|one two three BIG four|five six mine|seven eight nine ten|end|")
		}, "top|one two three BIG four|five six mine|seven eight nine ten|end|", "top|one two three four|five six mine seven eight|nine ten|end|",
			[]string{"[1,4) one two three BIG four|five six mine|seven eight nine ten| <- one two three four|five six mine seven eight|nine ten|"}},
		{"in the next row, where a word of the agent's own was in front", orig, func(s *script) {
			filled(s)
			s.u("top|one two three BIG|mine four five|six seven|eight nine ten|end|")
		}, "top|one two three BIG|mine four five|six seven|eight nine ten|end|", "top|one two three four|five six seven eight|nine ten|end|",
			[]string{"[1,5) one two three BIG|mine four five|six seven|eight nine ten| <- one two three four|five six seven eight|nine ten|"}},
		{"between a word of the agent's own and one that is left, in one row", orig, func(s *script) {
			filled(s)
			s.u("top|one two three BIG mine|four five six seven|eight nine ten|end|")
		}, "top|one two three BIG mine|four five six seven|eight nine ten|end|", "top|one two three four|five six seven eight|nine ten|end|",
			[]string{"[1,4) one two three BIG mine|four five six seven|eight nine ten| <- one two three four|five six seven eight|nine ten|"}},
		{"letter by letter, over the end of a row", orig, func(s *script) {
			filled(s)
			for _, text := range []string{"six s|seven", "six so|seven", "six som|seven", "six|some seven"} {
				s.u("top|one two three BIG four|five " + text + "|eight nine ten|end|")
			}
		}, "top|one two three BIG four|five six|some seven|eight nine ten|end|", "top|one two three four|five six some seven eight|nine ten|end|",
			[]string{"[1,5) one two three BIG four|five six|some seven|eight nine ten| <- one two three four|five six some seven eight|nine ten|"}},
		{"on, in a word that is left", orig, func(s *script) {
			filled(s)
			s.u("top|one two three BIG four|five sixteen|seven eight nine ten|end|")
		}, "top|one two three BIG four|five sixteen|seven eight nine ten|end|", "top|one two three four|five sixteen seven eight|nine ten|end|",
			[]string{"[1,4) one two three BIG four|five sixteen|seven eight nine ten| <- one two three four|five sixteen seven eight|nine ten|"}},
		{"and takes out again", orig, func(s *script) {
			filled(s)
			s.u("top|one two three BIG four|five six mine|seven eight nine ten|end|")
			s.wait()
			s.u("top|one two three BIG four|five six seven|eight nine ten|end|")
		}, "top|one two three BIG four|five six seven|eight nine ten|end|", orig,
			[]string{"[1,4) one two three BIG four|five six seven|eight nine ten| <- one two three four|five six seven eight|nine ten|"}},
		{"a word that is left is taken out", orig, func(s *script) {
			filled(s)
			s.u("top|one two three BIG four|five seven eight|nine ten|end|")
		}, "top|one two three BIG four|five seven eight|nine ten|end|", orig,
			[]string{"[1,3) one two three BIG four|five seven eight| <- one two three four|five six seven eight|"}},
		{"in a row that is opened between those which the agent has filled", orig, func(s *script) {
			filled(s)
			s.u("top|one two three BIG four|five six seven||eight nine ten|end|")
			for _, text := range []string{"seven m|eight", "seven|my eight", "seven|my o eight", "seven|my own eight"} {
				s.u("top|one two three BIG four|five six " + text + " nine ten|end|")
				s.wait()
			}
		}, "top|one two three BIG four|five six seven|my own eight nine ten|end|", "top|one two three four|five six seven my own eight|nine ten|end|",
			[]string{"[1,4) one two three BIG four|five six seven|my own eight nine ten| <- one two three four|five six seven my own eight|nine ten|"}},
		{"behind the words of a deleted row that are in the next one", orig, func(s *script) {
			filled(s)
			s.u("top|one two three BIG four||five six seven|eight nine ten|end|")
			s.wait()
			for _, text := range []string{"BIG four m|five", "BIG four my|five"} {
				s.u("top|one two three " + text + " six seven|eight nine ten|end|")
				s.wait()
			}
		}, "top|one two three BIG four my|five six seven|eight nine ten|end|", "top|one two three four my|five six seven eight|nine ten|end|",
			[]string{"[1,4) one two three BIG four my|five six seven|eight nine ten| <- one two three four my|five six seven eight|nine ten|"}},
		{"beside the user's own word that the agent has left", "top|o1 o2 o3 o4 o5 o6|end|", func(s *script) {
			s.a("c1", "top|o1 BIG o3 o4 o5 o6|end|")
			s.wait()
			s.put("o3 ", "o3 mine ")
			s.wait()
			s.a("c2", "top|o1 BIG o3 mine o4|o5 NEW o6|end|")
			s.wait()
			s.put("mine ", "also mine ")
		}, "top|o1 BIG o3 also mine o4|o5 NEW o6|end|", "top|o1 o2 o3 also mine o4 o5 o6|end|",
			[]string{"[1,3) o1 BIG o3 also mine o4|o5 NEW o6| <- o1 o2 o3 also mine o4 o5 o6|"}},
		{"behind rows of the user's own", orig, func(s *script) {
			filled(s)
			s.u("top|one two three BIG four|my own|row|five six seven|eight nine ten|end|")
			s.wait()
			s.u("top|one two three BIG four|my own|row|five six mine|seven eight nine ten|end|")
		}, "top|one two three BIG four|my own|row|five six mine|seven eight nine ten|end|",
			"top|one two three four|my own|row|five six mine seven eight|nine ten|end|",
			[]string{"[1,2) one two three BIG four| <- one two three four|", "[4,6) five six mine|seven eight nine ten| <- five six mine seven eight|nine ten|"}},
	})
}

// A word that there is more than once is carried like any other.
func TestEqualWordsAreCarried(t *testing.T) {
	runCases(t, []ruleCase{
		{"the same word twice at the end of a row", "top|one so so|old|end|", func(s *script) {
			s.a("c1", "top|one so so|BIG NEW|end|")
			s.wait()
			s.u("top|one mine so|so BIG NEW|end|")
		}, "top|one mine so|so BIG NEW|end|", "top|one mine so|so|old|end|",
			[]string{"[2,3) so BIG NEW| <- so|old|"}},
		{"a row of the user's that reads like what is carried", "top|one|two two|end|", func(s *script) {
			s.a("c1", "top|BIG NEW|two two|end|")
			s.wait()
			s.u("top|BIG NEW two|two|end|")
		}, "top|BIG NEW two|two|end|", "top|one|two|two|end|",
			[]string{"[1,2) BIG NEW two| <- one|two|"}},
		{"a row of the agent's that reads like what is carried", "top|one|two three two|end|", func(s *script) {
			s.a("c1", "top|BIG|two three two|end|")
			s.wait()
			s.u("top|BIG two|three two|end|")
			s.wait()
			s.a("c2", "top|BIG two|two|three two|end|")
		}, "top|BIG two|two|three two|end|", "top|one|two|three two|end|",
			[]string{"[1,3) BIG two|two| <- one|two|"}},
		{"a row that reads like another one did, with all the others flowing past it", "top|one|six seven|old|eight nine one|end|", func(s *script) {
			s.a("c1", "top|one|six seven|BIG NEW|eight nine one|end|")
			s.wait()
			s.u("top|one six|seven BIG|NEW eight nine|one|end|")
		}, "top|one six|seven BIG|NEW eight nine|one|end|", "top|one six|seven|old|eight nine|one|end|",
			[]string{"[2,4) seven BIG|NEW eight nine| <- seven|old|eight nine|"}},
	})
}
