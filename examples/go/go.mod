module example.test/checkout

go 1.19
