package gdl

func (c *checker) warnings() {}
